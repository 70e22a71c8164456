"""What operators watch: Debian's Prometheus reads the metrics, the rules and the dashboard's queries."""

import json
import re
import shutil
import subprocess
import time
import urllib.parse
from pathlib import Path

import pytest

from support.clients import client_for, close_client
from support.servers import REPOSITORY, free_port, get

RULES = REPOSITORY / "deploy" / "prometheus" / "alerts.yaml"
CONFIGURATION = REPOSITORY / "deploy" / "prometheus" / "prometheus.yaml"
DASHBOARD = REPOSITORY / "deploy" / "grafana" / "brasa.json"
NAME = re.compile(r"\b(?:brasa|process)_\w+")


def tool(name: str) -> str:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed (apt install prometheus)")
    return name


def dashboard_queries() -> list[str]:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    return [query.replace("$instance", ".*").replace("$__rate_interval", "1m") for query in queries]


def rule_queries() -> list[str]:
    """Written so that a line or a folded block behind `expr:` is the query."""
    found = re.findall(r"^        expr: (?:>-\n((?:          .*\n)+)|(.*)\n)", RULES.read_text(), re.MULTILINE)
    return [" ".join((block or line).split()) for block, line in found]


@pytest.fixture
def observed(start_server):
    """A server that has done a little of everything, and the address of its metrics."""
    metrics = f"127.0.0.1:{free_port()}"
    server = start_server("--metrics-address", metrics)
    client = client_for(server.address, "observed")
    for number in range(10):
        client.document(f"c/{number}").set({"number": number})
    client.document("c/1").delete()
    assert len(list(client.collection("c").order_by("number").stream())) == 9
    close_client(client)
    return server, metrics


def test_probes_and_metrics_have_an_address_of_their_own(observed):
    server, metrics = observed
    assert get(f"http://{metrics}/livez") == (200, "live\n")
    assert get(f"http://{metrics}/readyz") == (200, "ready\n")
    assert get(f"http://{metrics}/metrics")[0] == 200
    assert get(f"http://{metrics}/")[0] == 404
    assert get(f"http://{server.address}/readyz")[0] == 200
    assert get(f"http://{server.address}/metrics")[0] == 404


def test_the_binary_asks_for_health_itself(observed, binary):
    server, metrics = observed

    def health(*arguments: str) -> tuple[int, str]:
        done = subprocess.run([binary, "health", *arguments], capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout + done.stderr

    assert health("--address", metrics) == (0, "ready\n")
    assert health("--address", server.address, "--live") == (0, "live\n")
    assert server.stop() == 0
    code, text = health("--address", metrics)
    assert code == 1 and text.startswith(f"brasa: nobody answers on {metrics}") and text.count("\n") == 1


def test_every_metric_that_is_watched_is_there(observed):
    _, metrics = observed
    page = get(f"http://{metrics}/metrics")[1]
    there = {line.split()[2] for line in page.splitlines() if line.startswith("# TYPE ")}
    watched = set(NAME.findall("\n".join(dashboard_queries() + rule_queries())))
    assert len(watched) > 20
    missing = {name for name in watched if re.sub(r"_(bucket|sum|count)$", "", name) not in there and name not in there}
    assert missing == set()


def test_promtool_finds_nothing_to_say_against_the_page(observed):
    promtool = tool("promtool")
    page = get(f"http://{observed[1]}/metrics")[1]
    check = subprocess.run([promtool, "check", "metrics"], input=page, capture_output=True, text=True, check=False)
    assert (check.returncode, check.stdout + check.stderr) == (0, "")


def test_the_rules_and_the_configuration_are_valid():
    promtool = tool("promtool")
    for arguments in (["rules", str(RULES)], ["config", str(CONFIGURATION)]):
        check = subprocess.run([promtool, "check", *arguments], capture_output=True, text=True, check=False)
        assert check.returncode == 0, check.stdout + check.stderr
    assert len(rule_queries()) == RULES.read_text().count("- alert:")


def test_alerts_fire_when_they_should(tmp_path):
    promtool = tool("promtool")
    labels = 'instance="a", job="brasa"'
    cases = {
        "BrasaMemoryFull": ([f'brasa_memory_full{{{labels}}}: 0 0 0 1 1 1 1'], [("2m", False), ("6m", True)]),
        "BrasaDown": ([f'up{{{labels}}}: 1 1 0 0 0 0 0'], [("1m", False), ("5m", True)]),
        "BrasaCheckpointsFail": (
            [f'brasa_checkpoints_total{{{labels}, result="failed"}}: 0 0 0 1 1 1 1'], [("2m", False), ("5m", True)]
        ),
        "BrasaCallsFail": (
            [
                f'brasa_call_duration_seconds_count{{{labels}, method="Commit", status="OK"}}: 0+100x20',
                f'brasa_call_duration_seconds_count{{{labels}, method="Commit", status="INTERNAL"}}: 0 0 0 0 0 10+10x15',
            ],
            [("4m", False), ("18m", True)],
        ),
    }
    tests = []
    for alert, (series, moments) in cases.items():
        entries = []
        for line in series:
            name, _, values = line.rpartition(": ")
            entries.append({"series": name, "values": values})
        queries = [
            {
                "expr": f'count(ALERTS{{alertname="{alert}", alertstate="firing"}}) or vector(0)',
                "eval_time": moment,
                "exp_samples": [{"labels": "{}", "value": 1 if fires else 0}],
            }
            for moment, fires in moments
        ]
        tests.append({"interval": "1m", "input_series": entries, "promql_expr_test": queries})
    # JSON is YAML.
    file = tmp_path / "tests.yaml"
    file.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}))
    check = subprocess.run([promtool, "test", "rules", str(file)], capture_output=True, text=True, check=False)
    assert check.returncode == 0, check.stdout + check.stderr


@pytest.fixture
def prometheus(observed, tmp_path):
    """A Prometheus that scrapes the server as `deploy` says, but every five seconds, so that one slow scrape ends
    nothing."""
    program = tool("prometheus")
    folder = tmp_path / "prometheus"
    folder.mkdir()
    shutil.copy(RULES, folder)
    text = CONFIGURATION.read_text().replace("127.0.0.1:9100", observed[1]).replace("15s", "5s")
    (folder / "prometheus.yaml").write_text(text + "\n")
    address = f"127.0.0.1:{free_port()}"
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                program,
                f"--config.file={folder / 'prometheus.yaml'}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address={address}",
            ],
            stdout=log,
            stderr=log,
        )
    yield Prometheus(address, folder / "log")
    process.terminate()
    process.wait(timeout=60)


class Prometheus:
    def __init__(self, address: str, log: Path):
        self.address = address
        self.log = log

    def ask(self, path: str, **parameters: str):
        status, text = get(f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}")
        answer = json.loads(text)
        assert (status, answer["status"]) == (200, "success"), (path, parameters, text)
        return answer["data"]

    def until(self, query: str, seconds: float = 60):
        """The first answer that is not empty."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if found := self.ask("query", query=query)["result"]:
                    return found
            except (OSError, ValueError, AssertionError):
                pass  # It has only begun: nobody listens, or it answers 503 in plain words.
            time.sleep(0.2)
        raise AssertionError(f"nothing for {query}; the log says:\n{self.log.read_text()}")


def test_prometheus_scrapes_a_server_and_runs_every_query(prometheus):
    assert prometheus.until('up{job="brasa"} == 1')
    documents = prometheus.until("brasa_documents")
    assert [sample["value"][1] for sample in documents] == ["9"]
    commits = prometheus.ask("query", query='sum(brasa_call_duration_seconds_count{method="Commit",status="OK"})')
    assert commits["result"][0]["value"][1] == "11"
    # A rate needs two scrapes.
    assert prometheus.until("rate(brasa_commits_total[1m]) >= 0")
    queries = dashboard_queries() + rule_queries()
    assert len(queries) > 30
    empty = [query for query in dashboard_queries() if not prometheus.ask("query", query=query)["result"]]
    # Nothing has gone wrong, and there is no bound of memory.
    assert all("status!=" in query or "max_bytes" in query for query in empty), empty
    for query in rule_queries():
        assert prometheus.ask("query", query=query)["result"] == []
    targets = prometheus.ask("targets")["activeTargets"]
    assert [target["lastError"] for target in targets] == [""]
