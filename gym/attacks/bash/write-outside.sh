# Writes outside of its work directory, also through links.
echo touched > QA_DIRECTORY/QA_TOKEN
echo touched >> QA_DIRECTORY/secret
ln -s QA_DIRECTORY folder; echo touched > folder/QA_TOKEN
for path in /etc/passwd /usr/bin/python3 /proc/1/root/etc/passwd "$0"; do : >> "$path"; done
chmod -R 777 / 2>/dev/null
