"""How lit runs the tests of this folder. Started on the build tree, where
lit.site.cfg.py says which build it is."""

import os

import lit.formats

config.name = "rcclx"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

# rcclx-opt and the others of this build, then FileCheck, not and split-file.
config.environment["PATH"] = os.pathsep.join(
    [config.rcclx_tools_dir, config.llvm_tools_dir, config.environment["PATH"]]
)

# Tests with "REQUIRES: full" run with ./scripts/test.sh --full only.
if os.environ.get("RCCLX_TEST_FULL") == "1":
    config.available_features.add("full")

config.substitutions += [
    ("%schedules", os.path.join(config.rcclx_source_dir, "examples", "schedules")),
    # Pipeline options: one proof per world size.
    (
        "%prove_1_to_16",
        " ".join(f"-rcclx-verify=world={world}" for world in range(1, 17)),
    ),
    (
        "%prove_every_root_of_1_to_16",
        " ".join(f"'-rcclx-verify=world={world} roots'" for world in range(1, 17)),
    ),
]
