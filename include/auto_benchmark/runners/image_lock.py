"""Code enters an image only with the packages that it needs; for runners that cannot see an image's labels."""

from __future__ import annotations

from auto_benchmark.runners.runner import EnvironmentFaultError, TrialRequest


def require_lock(request: TrialRequest) -> None:
    """Raise EnvironmentFaultError where the image does not bring the packages of the code that enters it.

    The image is built from the solution's folder; what it is labelled with is the registry's to know.
    """
    if request.code_enters and request.image_lock_sha256 not in {None, request.lock_sha256}:
        raise EnvironmentFaultError(
            f"image {request.image!r} is built for requirements.lock {request.image_lock_sha256}, and this code has "
            f"{request.lock_sha256}"
        )
