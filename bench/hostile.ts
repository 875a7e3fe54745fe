/** Bodies of `def f(x)` that harm whoever runs them, by name. None of them gives a right answer. */
export const hostile: Readonly<Record<string, string>> = {
  'fork bomb': 'while True:\n    try: os.fork()\n    except OSError: pass',
  'memory bomb': 'held = []\nwhile True: held.append(bytearray(1 << 22))',
  'memory bomb of many':
    'for _ in range(6):\n    if os.fork() == 0:\n        held = b"x" * (90 << 20)\n        time.sleep(60)\ntime.sleep(60)',
  'endless loop': 'while True: pass',
  'output flood': 'while True: print("x" * 10000)',
  'sudden end': 'os._exit(3)',
  'kill all': 'os.kill(-1, 9)\nos.kill(os.getppid(), 9)\nos.kill(os.getpid(), 9)\nos._exit(1)',
  daemon:
    'if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        while True: time.sleep(1)\n    os._exit(0)\nreturn -1',
  'channel garbage': 'os.write(3, b"\\xff\\x00 junk\\n" * 100)\nreturn -1',
  'channel flood': 'while True: os.write(3, b"x" * 65536)',
  'full disk': 'with open("a", "wb") as file:\n    while True: file.write(b"x" * (1 << 20))',
  'closed descriptors': 'os.closerange(0, 256)\nreturn -1',
};
