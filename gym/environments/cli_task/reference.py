import os
import subprocess

env = os.environ
repository = env["REPO_DIR"]
os.makedirs(repository)


def git(*arguments):
    identity = ["-c", "user.name=" + env["AUTHOR_NAME"], "-c", "user.email=" + env["AUTHOR_EMAIL"]]
    subprocess.run(["git"] + identity + list(arguments), cwd=repository, check=True, stdout=subprocess.DEVNULL)


def commit(path, text, message):
    full = os.path.join(repository, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    git("add", "--", path)
    git("commit", "-q", "-m", message)


git("init", "-q")
git("symbolic-ref", "HEAD", "refs/heads/main")
commit("README.md", "# " + env["PROJECT"], "Start " + env["PROJECT"])
git("tag", env["TAG"])
git("checkout", "-q", "-b", env["BRANCH"])
commit(env["FILE_NAME"], env["FILE_TEXT"], env["COMMIT_MESSAGE"])
print("done")
