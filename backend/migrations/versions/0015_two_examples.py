"""The worked example is production and its recording: two workloads, each by its own id."""

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.drop_index('workloads_example', table_name='workloads')


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
