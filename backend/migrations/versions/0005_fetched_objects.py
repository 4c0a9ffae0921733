"""Objects that are fetched from a store instead of uploaded."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column('uploads', sa.Column('source_url', sa.Text(), nullable=True))
    op.add_column('uploads', sa.Column('source_etag', sa.Text(), nullable=True))
    op.add_column('uploads', sa.Column('run_id', sa.Text(), nullable=True))
    op.create_foreign_key(
        'uploads_run_id_fkey', 'uploads', 'runs', ['run_id'], ['id'], ondelete='SET NULL'
    )


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
