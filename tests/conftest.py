"""What all tests share: no deadline on properties, and what is not tested."""

import os
import signal

from hypothesis import HealthCheck, settings

settings.register_profile("arena", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("arena")
os.environ["ARENA_SETTINGS"] = ""  # what whoever runs the tests lists for bots is not tested

# Whoever starts the tests may ignore these, as `nohup` and background jobs do, and Arena honours that.
for number, action in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, action)
