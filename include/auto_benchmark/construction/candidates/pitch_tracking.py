"""Systems of others that follow the pitch of a sound: seven programs, some of them in more than one mode.

They answer the forms of ``tones`` in which one tone follows the other: ``count``, ``highest``, ``rises`` and ``key``.
Digits of a keypad are two tones at once, which none of them hears.
"""

from __future__ import annotations

from auto_benchmark.construction.candidates.program import panel

PITCH_TRACKING = panel(
    "pitch_tracking",
    "tones",
    [
        ("aubio_yinfft", "aubio_yinfft", "aubio, Debian 0.4.9, yinfft", "aubiopitch"),
        ("aubio_mcomb", "aubio_mcomb", "aubio, Debian 0.4.9, multiple comb", "aubiopitch"),
        ("aubio_schmitt", "aubio_schmitt", "aubio, Debian 0.4.9, Schmitt trigger", "aubiopitch"),
        ("praat_ac", "praat_ac", "praat-parselmouth 0.4.7, autocorrelation", None),
        ("praat_cc", "praat_cc", "praat-parselmouth 0.4.7, cross-correlation", None),
        ("praat_shs", "praat_shs", "praat-parselmouth 0.4.7, sum of subharmonics", None),
        ("world_dio", "world_dio", "pyworld-prebuilt 0.3.6.post1, DIO and StoneMask", None),
        ("essentia_yin", "essentia_yin", "essentia 2.1b6.dev1389, YIN", None),
        ("essentia_yinfft", "essentia_yinfft", "essentia 2.1b6.dev1389, YIN by spectrum", None),
        ("swift_f0", "swift_f0", "swift-f0 0.3.0", None),
        ("swipe", "swipe", "libf0 1.1.1, SWIPE", None),
        ("basic_pitch", "basic_pitch", "basic-pitch 0.4.0", None),
    ],
    modality="sound",
)
