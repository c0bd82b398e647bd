"""The options of the conformance kit, for all tests."""

pytest_plugins = ["arena_conformance.plugin"]
