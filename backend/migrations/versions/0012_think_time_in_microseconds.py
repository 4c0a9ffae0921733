"""Times of questions in microseconds: what scenarios asked with `think_ms` asks `think_us`."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.execute(
        """
        UPDATE scenarios
        SET asks = jsonb_set(
            asks #- '{throughput,think_ms}',
            '{throughput,think_us}',
            to_jsonb((asks #>> '{throughput,think_ms}')::numeric * 1000)
        )
        WHERE asks -> 'throughput' ? 'think_ms'
        """
    )


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
