import json
import re
from urllib.parse import unquote

WORDS = ("Upgrade log4j-core", "remove JndiLookup", "Block outgoing", "Look for connections")


def resolve(text):
    """The text as log4j would see it, with the innermost lookups replaced first."""

    def value(match):
        body = match.group(1)
        if ":-" in body:
            return body.split(":-", 1)[1]
        kind, _, rest = body.partition(":")
        if kind.lower() == "lower":
            return rest.lower()
        if kind.lower() == "upper":
            return rest.upper()
        return "\0" + body + "\1"

    while True:
        after = re.sub(r"\$\{([^${}]*)\}", value, text)
        if after == text:
            return text
        text = after


def answer(input):
    sources, callbacks = [], []
    for line in input["log"].splitlines():
        ip = line.split(" ", 1)[0]
        if ip == input["scanner"]:
            continue
        for target in re.findall("\0jndi:[a-z]+://([^/\1]+)", resolve(unquote(line)), re.IGNORECASE):
            if ip not in sources:
                sources.append(ip)
            host = target if ":" in target else target + ":389"
            if host not in callbacks:
                callbacks.append(host)
    actions = [
        line[2:].split(":", 1)[0] for line in input["actions"].splitlines() if any(word in line for word in WORDS)
    ]
    return json.dumps(
        {"cve": "CVE-2021-44228", "source_ips": sources, "callbacks": callbacks, "actions": actions}, indent=1
    )
