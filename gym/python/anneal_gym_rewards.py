"""Rewards of anneal's gym for trainers in Python, by way of `anneal gym serve`.

One file without dependencies, Python 3.8 or later. Put it where the trainer imports from (the folder it is started in).

    ANNEAL_GYM_URL          where the server is; default http://127.0.0.1:8000
    ANNEAL_GYM_KEY          its key (what the server has in ANNEAL_GYM_API_KEY)
    ANNEAL_GYM_ENVIRONMENT  judges rows that name no environment (optional)
    ANNEAL_GYM_TIMEOUT      seconds that one request may take; default 600
    ANNEAL_GYM_ATTEMPTS     attempts where the server cannot be reached or is overloaded; default 6

TRL and Axolotl:  trl.reward_funcs: [anneal_gym_rewards.row_reward]
verl:             custom_reward_function.path: anneal_gym_rewards.py, custom_reward_function.name: compute_score
OpenRLHF:         --remote_rm_url anneal_gym_rewards.py

An answer that nobody could judge has no verdict, which is no 0: `row_reward` gives None for it; `compute_score` and `reward_func`,
whose callers have no word for that, raise NoVerdict.
"""

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request

__all__ = ["GymError", "NoVerdict", "compute_score", "make_reward", "reward_func", "row_reward"]


class GymError(RuntimeError):
    """The server refused a request, or could not be reached."""


class NoVerdict(GymError):
    """Nobody could judge the answer."""


def row_reward(prompts=None, completions=None, **columns):
    """TRL's reward function: the environment of a row is `extra_info["environment"]`, else `data_source`."""
    rows = _row_columns(columns, len(completions))
    environment = os.environ.get("ANNEAL_GYM_ENVIRONMENT")
    if not rows and not environment:
        raise GymError("the rows have neither extra_info nor data_source, and ANNEAL_GYM_ENVIRONMENT is not set")
    return _rewards(completions, {"columns": rows} if rows else {"environment": environment})


def make_reward(environment, variant=None, language=None, component=None):
    """A reward function for one environment. `component` gives a named part of the verdict instead of the score."""
    options = {"environment": environment, "variant": variant, "language": language, "component": component}

    def reward(prompts=None, completions=None, **columns):
        return _rewards(completions, {key: value for key, value in options.items() if value is not None})

    reward.__name__ = "gym_" + "".join(letter if letter.isalnum() else "_" for letter in environment)
    return reward


def compute_score(data_source, solution_str, ground_truth=None, extra_info=None, **_):
    """verl's reward: the score of one answer."""
    extra = dict(extra_info) if extra_info else {}
    known = {key: _plain(extra[key]) for key in ("environment", "variant", "language") if extra.get(key) is not None}
    if "environment" not in known and os.environ.get("ANNEAL_GYM_ENVIRONMENT") and not data_source:
        known["environment"] = os.environ["ANNEAL_GYM_ENVIRONMENT"]
    body = {"data_source": data_source, "solution_str": solution_str, "ground_truth": "", "extra_info": known}
    return _post("/verl/compute_score", body)["score"]


def reward_func(queries, prompts, labels, **_):
    """OpenRLHF's reward for a list of texts, each prompt and answer in one; a label names the environment."""
    path = "/openrlhf/reward"
    if os.environ.get("ANNEAL_GYM_ENVIRONMENT"):
        path += "?environment=" + urllib.parse.quote(os.environ["ANNEAL_GYM_ENVIRONMENT"], safe="")
    body = {"query": list(queries), "prompts": list(prompts), "labels": [_plain(label) for label in labels]}
    answer = _post(path, body)
    try:
        import torch
    except ImportError:
        return answer
    # OpenRLHF calls .item() and stacks what it gets.
    extra_logs = {name: torch.tensor(values, dtype=torch.float) for name, values in answer["extra_logs"].items()}
    rewards = torch.tensor(answer["rewards"], dtype=torch.float)
    return {"rewards": rewards, "scores": rewards, "extra_logs": extra_logs}


def _rewards(completions, how):
    return _post("/v1/rewards", dict(how, completions=[_plain(completion) for completion in completions]))["rewards"]


def _row_columns(columns, count):
    """The two columns that name environments. All others stay here, whatever they are called and hold."""
    found = {}
    for name in ("extra_info", "data_source"):
        values = columns.get(name)
        if isinstance(values, (list, tuple)) and len(values) == count:
            found[name] = [_plain(value) for value in values]
    return found


def _plain(value):
    """What JSON can say of a value; arrays and scalars of numpy as lists and numbers."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return str(value)


def _post(path, body):
    url = os.environ.get("ANNEAL_GYM_URL", "http://127.0.0.1:8000").rstrip("/") + path
    headers = {"Content-Type": "application/json"}
    if os.environ.get("ANNEAL_GYM_KEY"):
        headers["X-API-Key"] = os.environ["ANNEAL_GYM_KEY"]
    data = json.dumps(body).encode("utf-8")
    timeout = float(os.environ.get("ANNEAL_GYM_TIMEOUT", "600"))
    attempts = max(1, int(os.environ.get("ANNEAL_GYM_ATTEMPTS", "6")))
    # The server is near and named by hand; a proxy for the wide world does not lead there.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for attempt in range(attempts):
        if attempt > 0:
            time.sleep(min(0.25 * 2 ** (attempt - 1), 8.0))
        last = attempt == attempts - 1
        try:
            request = urllib.request.Request(url, data=data, headers=headers, method="POST")
            with opener.open(request, timeout=timeout) as response:
                return json.loads(response.read().decode("utf-8"))
        except urllib.error.HTTPError as error:
            problem = _problem(error)
            if problem.get("no_verdict"):
                raise NoVerdict("%s: %s" % (problem.get("cause"), problem.get("detail"))) from None
            if last or error.code not in (429, 502, 503, 504):
                raise GymError("%s answered %d: %s" % (url, error.code, problem.get("detail"))) from None
        except (urllib.error.URLError, ConnectionError, TimeoutError, OSError) as error:
            if last:
                reason = getattr(error, "reason", error)
                raise GymError("%s cannot be reached: %s. Is anneal gym serve running?" % (url, reason)) from error
    raise AssertionError("unreachable")


def _problem(error):
    text = error.read().decode("utf-8", "replace")
    try:
        problem = json.loads(text)
    except ValueError:
        return {"detail": text[:500]}
    return problem if isinstance(problem, dict) else {"detail": text[:500]}
