"""Does a trial wait for what it needs, and for nothing else?"""

import pytest
from working_folder import CODE, CONFIG, link, snakemake, stand_in

from hil.design import libraries
from hil.design.studies import load_study


@pytest.mark.parametrize(
    ("study", "testbed", "word", "image"),
    [
        ("smoke", "virtual", "coap", "lx106/thinwire.elf"),
        ("security", "virtual", "chain", "lx106/thinwire-secure.elf"),
        ("libraries", "hardware", "library-espcoap", "esp8266/espcoap.bin"),
    ],
)
def test_a_trial_needs_the_image_that_it_runs_and_no_other(tmp_path, study, testbed, word, image):
    link(tmp_path, "Snakefile", *CODE, "workflow", "data/recordings.yaml")
    stand_in(tmp_path, f"build/firmware/{image}", "build/lab/current")
    text = CONFIG.replace("smoke", study).replace("virtual", testbed)
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
    trials = load_study(study).trials("quick", testbed)
    goal = next(f"data/raw/{study}/{each.id}/trial.json" for each in trials if word in each.id)
    done = snakemake(tmp_path, "--dry-run", "--allowed-rules", "trial", "--", goal)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("library", libraries.on("lx106"))
def test_an_image_with_a_library_waits_for_the_others(tmp_path, library):
    link(tmp_path, "Snakefile", *CODE, "workflow", "data/recordings.yaml")
    stand_in(tmp_path, "build/firmware/lx106/thinwire.elf", "build/lab/current")
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    goal = f"build/firmware/lx106/thinwire-{library}.elf"
    done = snakemake(tmp_path, "--dry-run", "--allowed-rules", "firmware_library", "--", goal)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"the firmware with {library}" in done.stdout


def test_a_machine_with_rabbitmq_is_made_before_any_trial_that_needs_it(tmp_path):
    link(tmp_path, "Snakefile", *CODE, "workflow", "data/recordings.yaml")
    stand_in(tmp_path, "build/firmware/lx106/thinwire.elf", "build/lab/current")
    (tmp_path / "config.yaml").write_text(CONFIG.replace("smoke", "sensor"), encoding="utf-8")
    trials = [each.id for each in load_study("sensor").trials("quick")]
    with_it = [name for name in trials if name.startswith("amqp")]
    words = ("--dry-run", "--allowed-rules", "trial", "lab_apart", "--")
    done = snakemake(tmp_path, *words, *(f"data/raw/sensor/{name}/lab.json" for name in with_it))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("stand apart: amqp") == 1
    without = next(name for name in trials if name.startswith("coap"))
    done = snakemake(tmp_path, *words, f"data/raw/sensor/{without}/lab.json")
    assert done.returncode == 0 and "stand apart" not in done.stdout, done.stdout + done.stderr
