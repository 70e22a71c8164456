"""Plans and execution statistics (reference 7.7), by the official client and by raw calls."""

import pytest
from google.cloud.firestore_v1.query_profile import ExplainOptions, QueryExplainError

from support.messages import message
from support.queries import PADDING, TIMES, collection, compare, every, fill, order, padding, where

pytestmark = pytest.mark.hosted("7.7: the emulator's plans are its own")

PLAN = ExplainOptions(analyze=False)
ANALYZE = ExplainOptions(analyze=True)
PLAN_MESSAGE = message("ExplainOptions")()
ANALYZE_MESSAGE = message("ExplainOptions")(analyze=True)

PLENTY = 2_000
TRIES = 200
# Index entries that a server may read before it knows that it needs no more.
READ_AHEAD = 64


@pytest.fixture
def rows(client):
    """A few documents that queries return, among many that they do not."""
    contents = {f"rows/{index}": {"kind": "rare", "n": index, "tags": ["x"]} for index in range(8)}
    contents |= {f"rows/~{index:05}": {"kind": "common", "n": index, "tags": ["y"]} for index in range(PLENTY)}
    fill(client, contents)
    return client.collection("rows")


def analyze(query):
    results = query.get(explain_options=ANALYZE)
    return results, results.get_explain_metrics()


def settled(query, cost):
    """The metrics once the query has an index of its own, which its first runs ask for: it then costs no more."""
    for _ in range(TRIES):
        _, metrics = analyze(query)
        debug = metrics.execution_stats.debug_stats
        if int(debug["documents_scanned"]) <= cost and int(debug["index_entries_scanned"]) <= cost + READ_AHEAD:
            return metrics
    raise AssertionError(f"{TRIES} runs, and it still costs {debug}; plan: {metrics.plan_summary.indexes_used}")


def test_a_plan_alone(rows):
    query = rows.where(filter=where("kind", "==", "rare"))
    results = query.get(explain_options=PLAN)
    assert list(results) == []
    metrics = results.get_explain_metrics()
    assert all(set(used) == {"query_scope", "properties"} for used in metrics.plan_summary.indexes_used)
    with pytest.raises(QueryExplainError):
        _ = metrics.execution_stats


def test_a_plan_is_one_message(database, rows):
    query = collection("rows", compare("kind", "EQUAL", "rare"))
    (only,) = database.query(query, explain_options=PLAN_MESSAGE).stream
    assert only.HasField("explain_metrics") and not only.HasField("document")
    assert not only.explain_metrics.HasField("execution_stats")
    (only,) = database.aggregate(query, {"count": {}}, explain_options=PLAN_MESSAGE).stream
    assert only.HasField("explain_metrics") and not only.HasField("result")
    assert not only.explain_metrics.HasField("execution_stats")


def test_metrics_come_with_the_last_message(database, rows):
    query = collection("rows", compare("kind", "EQUAL", "rare"))
    answers = database.query(query, explain_options=ANALYZE_MESSAGE).stream
    assert [each.HasField("document") for each in answers] == [True] * 8
    assert [each.HasField("explain_metrics") for each in answers] == [False] * 7 + [True]
    stats = answers[-1].explain_metrics.execution_stats
    assert stats.results_returned == 8
    assert stats.read_operations >= 1
    assert stats.execution_duration.ToNanoseconds() > 0
    debug = stats.debug_stats
    assert {"index_entries_scanned", "documents_scanned", "billing_details"} <= set(debug.fields)
    billing = debug["billing_details"]
    assert {"index_entries_billable", "documents_billable", "min_query_cost", "small_ops"} <= set(billing.fields)
    assert int(debug["documents_scanned"]) + int(debug["index_entries_scanned"]) >= 8


def test_metrics_of_nothing(database, rows):
    (only,) = database.query(collection("rows", compare("kind", "EQUAL", "x")), explain_options=ANALYZE_MESSAGE).stream
    assert only.HasField("read_time") and only.HasField("explain_metrics")
    assert only.explain_metrics.execution_stats.results_returned == 0
    assert only.explain_metrics.execution_stats.read_operations >= 1


def test_metrics_of_an_aggregation(database, rows):
    query = collection("rows", compare("kind", "EQUAL", "rare"))
    (only,) = database.aggregate(query, {"alias": "n", "count": {}}, explain_options=ANALYZE_MESSAGE).stream
    assert only.result.aggregate_fields["n"].integer_value == 8
    assert only.explain_metrics.execution_stats.results_returned == 1


def test_by_the_clients_streams(rows):
    query = rows.where(filter=where("kind", "==", "rare")).order_by("n")
    stream = query.stream(explain_options=ANALYZE)
    assert [snapshot.id for snapshot in stream] == [str(index) for index in range(8)]
    assert stream.get_explain_metrics().execution_stats.results_returned == 8
    counted = rows.where(filter=where("kind", "==", "rare")).count().get(explain_options=ANALYZE)
    assert counted[0][0].value == 8
    assert counted.get_explain_metrics().execution_stats.results_returned == 1


# Queries, and the index that they come to have.
SHAPES = {
    "equality": (lambda c: c.where(filter=where("kind", "==", "rare")), 8, "(kind ASC, __name__ ASC)"),
    "equality and range": (
        lambda c: c.where(filter=every(where("kind", "==", "rare"), where("n", ">", 3))),
        4,
        "(kind ASC, n ASC, __name__ ASC)",
    ),
    "equality, range and order with a limit": (
        lambda c: c.where(filter=every(where("kind", "==", "common"), where("n", ">", 100))).order_by("n").limit(20),
        20,
        "(kind ASC, n ASC, __name__ ASC)",
    ),
    "a range": (lambda c: c.where(filter=where("n", ">=", PLENTY - 5)), 5, "(n ASC, __name__ ASC)"),
    "array contains": (
        lambda c: c.where(filter=where("tags", "array_contains", "x")),
        8,
        "(tags CONTAINS, __name__ ASC)",
    ),
    "in": (
        lambda c: c.where(filter=where("kind", "in", ["rare", "none"])),
        8,
        "(kind ASC, __name__ ASC)",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_query_comes_to_cost_what_it_returns(rows, shape):
    build, count, properties = SHAPES[shape]
    query = build(rows)
    first, metrics = analyze(query)
    assert len(first) == count
    metrics = settled(query, 2 * count)
    assert metrics.execution_stats.results_returned == count
    used = metrics.plan_summary.indexes_used
    assert {each["query_scope"] for each in used} == {"Collection"}
    assert {each["properties"] for each in used} == {properties}
    assert query.get(explain_options=PLAN).get_explain_metrics().plan_summary.indexes_used == used


def test_a_descending_order_has_an_index_too(rows):
    query = rows.where(filter=where("kind", "==", "common")).order_by("n", direction="DESCENDING").limit(10)
    settled(query, 20)
    assert [snapshot.get("n") for snapshot in query.stream()] == list(range(PLENTY - 1, PLENTY - 11, -1))


def test_a_group_has_an_index_of_its_own(client):
    contents = {f"a/{index}/parts/{index}": {"n": index} for index in range(1_000)}
    fill(client, contents)
    query = client.collection_group("parts").where(filter=where("n", ">", 500)).limit(5)
    metrics = settled(query, 10)
    (used,) = metrics.plan_summary.indexes_used
    assert used == {"query_scope": "Collection group", "properties": "(n ASC, __name__ ASC)"}
    assert [snapshot.get("n") for snapshot in query.stream()] == list(range(501, 506))


def test_a_count_costs_its_matches(rows):
    query = rows.where(filter=where("kind", "==", "rare"))
    settled(query, 16)
    for _ in range(TIMES):
        counted = query.count().get(explain_options=ANALYZE)
        debug = counted.get_explain_metrics().execution_stats.debug_stats
        assert int(debug["index_entries_scanned"]) <= 9
        assert int(debug["documents_scanned"]) <= 8


def test_names_need_no_index(rows):
    query = rows.order_by("__name__").limit(5)
    _, metrics = analyze(query)
    assert int(metrics.execution_stats.debug_stats["documents_scanned"]) <= 5 + 1
