"""Health, and that the application starts with its example."""


class TestHealth:
    def test_all_parts_are_up(self, application):
        health = application.get("/health")
        assert health["status"] == "ok"
        assert health["database"] == "ok"
        assert health["workers_alive"] == 1

    def test_the_example_is_ready_without_an_upload(self, application):
        workloads = application.get("/workloads")
        example = workloads["items"][0]
        assert example["id"] == "example"
        assert example["example"] is True
        assert example["status"] == "ready"
        assert example["summary"]["accesses"] == 420_000
        assert example["summary"]["page_bytes"] == 8192
