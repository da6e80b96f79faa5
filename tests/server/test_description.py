"""The OpenAPI description holds for whatever schemathesis thinks of."""

import pytest
from hypothesis import HealthCheck, settings
from tests.server.asking import make_app

schemathesis = pytest.importorskip(
    "schemathesis", reason="schemathesis tries the server by its description"
)

REFUSALS = {"expected-statuses": [400, 405, 413, 415, 421]}
CONFIG = {"checks": {"negative_data_rejection": REFUSALS}}
schema = schemathesis.openapi.from_asgi(
    "/openapi.json", make_app(), config=schemathesis.Config.from_dict(CONFIG)
)


@schema.parametrize()
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
)
def test_every_answer_is_as_described(case):
    case.call_and_validate()
