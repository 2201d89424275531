# attack: cpu_limit_handler
# goal: catch SIGXCPU and SIGTERM and go on, after closing every pipe
# want: fail
# control: yes
# ends: timed_out

import os, signal
for number in (signal.SIGXCPU, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGPIPE):
    signal.signal(number, lambda *_: None)
for fd in (0, 1, 2, 3):
    os.close(fd)
while True:
    pass
