"""Set-up that every test shares: Qt draws offscreen, in software, whatever machine the tests run on."""

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_QUICK_BACKEND"] = "software"
