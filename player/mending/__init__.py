"""What a player does that cannot start: it says on the glass and on its page what to mend, and waits for that.

Nothing but Python's own library is imported before it is used: the player may not be installed whole. So there are two
pages: the doctor's, with all that it finds (`full_page`), and a small one that needs no package (`page`), for a player
that lacks some, or beside another player that is to be asked.
"""
