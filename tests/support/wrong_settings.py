"""A configuration in which each line is wrong, in another way."""

EIGHT_WRONG_SETTINGS = """\
servcie = "https://menus.example.com"
rotate = 45
size = "huge"
proxy = "socks5://proxy:1080"
overscan = 40
announce = "perhaps"
diagnostics_port = 90000
service = "http://menus.example.com"
"""
