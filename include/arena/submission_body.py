"""What is sent to the arena, checked; every refusal names the field."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError

from auto_benchmark.documents import Strict, dotted

LARGEST_BODY_BYTES = 8 * 2**20
KEY_PATTERN = r"[\x21-\x7e]{1,200}"

System = Annotated[
    str, StringConstraints(strict=True, min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f/\\]+$")
]


class BodyError(Exception):
    """The body is refused.

    Args:
        field: dotted name of the first faulty field.
        message: what is wrong with it.
    """

    def __init__(self, field: str, message: str) -> None:
        self.field, self.message = field, message
        super().__init__(f"{field}: {message}")


class Prediction(Strict):
    """Answer to one hidden item."""

    id: Annotated[str, StringConstraints(strict=True, min_length=1, max_length=200)]
    answer: Annotated[str, StringConstraints(strict=True)]


class SubmissionBody(Strict):
    """The body of a submission."""

    system: System
    predictions: list[Prediction] = Field(min_length=1)


def read_body(
    content: bytes, *, items: Collection[str], reserved: Collection[str], longest_answer: int
) -> tuple[str, dict[str, str]]:
    """Check a body.

    Args:
        content: as received.
        items: ids of the hidden items. Those left out count as wrong.
        reserved: names of the arena's own competitors.
        longest_answer: characters.

    Returns:
        The system's name and its answers by item id.

    Raises:
        BodyError: naming the first faulty field.
    """
    try:
        body = SubmissionBody.model_validate(json.loads(content))
    except (ValueError, RecursionError) as error:
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False, include_input=False)[0]
            raise BodyError(dotted(first["loc"]) or "body", first["msg"]) from None
        raise BodyError("body", "is not valid JSON") from None
    if body.system in reserved:
        raise BodyError("system", f"{body.system!r} is another entrant's name")
    answers: dict[str, str] = {}
    for i, prediction in enumerate(body.predictions):
        if len(prediction.answer) > longest_answer:
            raise BodyError(f"predictions[{i}].answer", f"String should have at most {longest_answer} characters")
        if prediction.id not in items:
            raise BodyError(f"predictions[{i}].id", f"no item is called {prediction.id!r}")
        if prediction.id in answers:
            raise BodyError(f"predictions[{i}].id", f"{prediction.id!r} is answered twice")
        answers[prediction.id] = prediction.answer
    return body.system, answers
