"""What a player does that cannot start: it says on the glass and on its page what to mend, and waits for that.

Nothing but Python's own library is imported before it is used: the player may not be installed whole.
"""
