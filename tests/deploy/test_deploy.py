"""What ``deploy/`` ships is well-formed, and says what the code says."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import get_args

import pytest
import yaml  # type: ignore[import-untyped,unused-ignore]

from dragoman.enrich.layers import LAYERS
from dragoman.serve.metrics import Metrics
from dragoman.serve.problems import KINDS
from dragoman.types import SystemError_

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
RUNBOOK = (ROOT / "docs/how-to/runbook.md").read_text("utf-8")
ALERTS = [
    rule
    for group in yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text("utf-8"))["groups"]
    for rule in group["rules"]
]
DASHBOARD = json.loads((DEPLOY / "grafana/dragoman.json").read_text("utf-8"))
CODES = get_args(SystemError_)
HEADINGS = re.findall(r"^### (.+)$", RUNBOOK, re.M)


def metrics() -> dict[str, set[str]]:
    """Each name that the service exposes, with its labels."""
    found: dict[str, set[str]] = {"up": {"job", "instance"}}
    for metric in vars(Metrics()).values():
        name = getattr(metric, "_name", None)
        if name is None:
            continue
        labels = set(metric._labelnames)
        for suffix in {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}[
            metric._type
        ]:
            found[name + suffix] = labels | ({"le"} if suffix == "_bucket" else set())
    return found


def used(expression: str) -> list[tuple[str, set[str]]]:
    """The metrics of a PromQL expression with the labels that it selects by."""
    return [
        (name, set(re.findall(r"(\w+)\s*=?[=!~]", labels or "")))
        for name, labels in re.findall(r"\b(dragoman_\w+|up)\b(?:\{([^}]*)\})?", expression)
    ]


def expressions() -> list[str]:
    return [rule["expr"] for rule in ALERTS] + [t["expr"] for p in DASHBOARD["panels"] for t in p["targets"]]


@pytest.mark.parametrize("expression", expressions())
def test_expressions_use_metrics_and_labels_that_there_are(expression):
    there = metrics()
    assert used(expression)
    for name, labels in used(expression):
        assert name in there
        assert labels <= there[name]
    for listed in re.findall(r"\bby \(([^)]*)\)", expression):
        known = set.union(*(there[name] for name, _ in used(expression)))
        assert set(re.split(r",\s*", listed)) <= known
    for opening, closing in ("()", "{}", "[]"):
        assert expression.count(opening) == expression.count(closing)
    for kind in re.findall(r'kind="(\w+)"', expression):
        assert kind in KINDS
    for code in re.findall(r'(?:code|outcome)="(understanding_\w+)"', expression):
        assert code in CODES


def test_every_alert_and_every_system_error_has_its_heading():
    assert len(set(HEADINGS)) == len(HEADINGS)
    for rule in ALERTS:
        assert rule["alert"] in HEADINGS
        assert rule["annotations"]["runbook"] == f"docs/how-to/runbook.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"]
    for code in CODES:
        assert code in HEADINGS
    assert set(HEADINGS) == {rule["alert"] for rule in ALERTS} | set(CODES)


def test_every_metric_is_in_the_documentation():
    page = (ROOT / "docs/how-to/observe.md").read_text("utf-8")
    for name in metrics():
        base = re.sub(r"_(bucket|count|sum)$", "", name)
        if name != "up":
            assert base in page, name
    for name in re.findall(r"dragoman_\w+", page):
        assert {name, f"{name}_count"} & set(metrics()), name


@pytest.mark.parametrize(
    "asked",
    [
        ("check", "rules", "alerts.yml"),
        ("test", "rules", "alerts_test.yml", "alerts_weeks_test.yml"),
        ("check", "config", "--syntax-only", "prometheus.yml"),
    ],
)
def test_promtool_accepts_the_rules_and_each_alert_comes_when_it_should(asked):
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed; the rules were read as YAML and their metrics compared")
    ran = subprocess.run([promtool, *asked], cwd=DEPLOY / "prometheus", capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_alert_has_a_case_in_which_it_comes_and_uses_metrics_that_there_are():
    files = [yaml.safe_load(path.read_text("utf-8")) for path in (DEPLOY / "prometheus").glob("*_test.yml")]
    cases = [case for file in files for case in file["tests"]]
    come = {check["alertname"] for case in cases for check in case["alert_rule_test"] if check["exp_alerts"]}
    assert come == {rule["alert"] for rule in ALERTS}
    there = metrics()
    for case in cases:
        for series in case["input_series"]:
            for name, labels in used(series["series"]):
                assert labels <= there[name] | {"job", "instance"}, name


def test_what_an_alert_counts_is_there_before_it_happens():
    """Of a counter that begins with its first event Prometheus sees no increase, and the alert does not come."""
    page = Metrics().page().decode()
    for rule in ALERTS:
        for name, labels in re.findall(r"increase\((dragoman_\w+)\{([^}]*)\}", rule["expr"]):
            key, values = re.findall(r'(\w+)=~?"([^"]*)"', labels)[0]
            for value in values.split("|"):
                assert re.search(rf'^{name}\{{[^}}]*{key}="{value}"[^}}]*\}} 0.0$', page, re.M), (name, value)


def test_the_dashboard_is_whole():
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    cells: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        mine = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not mine & cells, f"{panel['title']} lies over another"
        cells |= mine
        assert all(target["datasource"]["uid"] == "${source}" for target in panel["targets"])
    assert DASHBOARD["templating"]["list"][0]["name"] == "source"
    assert LAYERS  # the panel of layers counts by whatever name a layer has


def test_the_unit_is_one_that_systemd_reads(tmp_path):
    analyze = shutil.which("systemd-analyze")
    text = (DEPLOY / "dragoman.service").read_text("utf-8")
    assert "ExecStart=/opt/dragoman/bin/dragoman serve " in text
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "dragoman.service"
    unit.write_text(text.replace("/opt/dragoman/bin/dragoman", shutil.which("true") or "/bin/true"), "utf-8")
    ran = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True)
    told = [line for line in ran.stderr.splitlines() if "dragoman.service" in line]
    assert not told, told


def test_the_image_installs_extras_that_there_are_and_runs_without_root():
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    chosen = re.search(r"^ARG EXTRAS=(\S+)$", text, re.M)
    assert chosen is not None
    assert set(chosen[1].split(",")) <= set(extras)
    for name in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.M):
        for path in name.split():
            assert (ROOT / path).exists(), path
    assert re.search(r"^USER 10001", text, re.M)
    assert text.index("USER 10001") < text.index("ENTRYPOINT")
    assert json.loads(re.search(r"^CMD (\[\"serve.*\])$", text, re.M)[1])[0] == "serve"  # type: ignore[index]
    assert re.findall(r"^FROM (\S+)", text, re.M) == ["python:3.11-slim-bookworm"] * 2


def test_compose_is_hardened_and_on_loopback_alone():
    file = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    for name, service in file["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ())), name
    assert file["services"]["dragoman"]["read_only"] is True
    assert (ROOT / "deploy" / file["x-dragoman"]["build"]["context"]).resolve() == ROOT


def test_kubernetes_probes_what_needs_no_key():
    documents = list(yaml.safe_load_all((DEPLOY / "kubernetes/dragoman.yaml").read_text("utf-8")))
    assert [d["kind"] for d in documents] == ["Deployment", "Service", "NetworkPolicy", "PodDisruptionBudget"]
    pod = documents[0]["spec"]["template"]["spec"]
    container = pod["containers"][0]
    probes = {name: container[f"{name}Probe"]["httpGet"]["path"] for name in ("liveness", "readiness", "startup")}
    assert probes == {"liveness": "/healthz", "readiness": "/readyz", "startup": "/readyz"}
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["args"][0] == "serve"
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}
    labels = documents[0]["spec"]["template"]["metadata"]["labels"]
    for other in (
        documents[0]["spec"]["selector"],
        documents[2]["spec"]["podSelector"],
        documents[3]["spec"]["selector"],
    ):
        assert other["matchLabels"].items() <= labels.items()
    assert documents[1]["spec"]["selector"].items() <= labels.items()
