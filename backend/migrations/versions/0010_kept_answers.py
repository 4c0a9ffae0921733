"""Answers that scenarios keep, and deleted scenarios that can be restored.

Scenarios saved before have no kept answer: theirs stays empty, and the API says so.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column('scenarios', sa.Column('model_version', sa.Text(), nullable=True))
    op.add_column('scenarios', sa.Column('asks', postgresql.JSONB(), nullable=True))
    op.add_column('scenarios', sa.Column('answer', postgresql.JSONB(), nullable=True))
    op.add_column(
        'scenarios', sa.Column('answered_at', sa.DateTime(timezone=True), nullable=True)
    )
    op.add_column(
        'scenarios', sa.Column('deleted_at', sa.DateTime(timezone=True), nullable=True)
    )
    # A deleted scenario does not hold its name.
    op.drop_index('scenarios_name', 'scenarios')
    op.create_index(
        'scenarios_name',
        'scenarios',
        [sa.literal_column('lower(name)')],
        unique=True,
        postgresql_where=sa.text('deleted_at IS NULL'),
    )


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
