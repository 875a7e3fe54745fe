# Leaves children and daemons that come back later.
(exec -a QA_TOKEN sleep 1000) &
setsid bash -c 'exec -a QA_TOKEN sleep 1000' &
nohup bash -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.2; echo touched > QA_DIRECTORY/QA_TOKEN; done; exec -a QA_TOKEN sleep 1000' > /dev/null 2>&1 &
disown -a
