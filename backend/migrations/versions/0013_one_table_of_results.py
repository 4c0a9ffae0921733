"""One table of results: checks, sweeps, estimates and analyses move into it as they are."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0013"
down_revision = "0012"

_COLUMNS = (
    "id, kind, content_id, workload_id, inputs, plan, result, complete, core_version, "
    "run_id, created_at"
)


def upgrade() -> None:
    op.create_table(
        'results',
        sa.Column('id', sa.Text(), nullable=False),
        sa.Column('kind', sa.Text(), nullable=False),
        sa.Column('content_id', sa.Text(), nullable=False),
        sa.Column('workload_id', sa.Text(), nullable=False),
        sa.Column('inputs', postgresql.JSONB(), nullable=False),
        sa.Column('plan', postgresql.JSONB(), nullable=True),
        sa.Column('result', postgresql.JSONB(), nullable=True),
        sa.Column('complete', sa.Boolean(), nullable=False),
        sa.Column('core_version', sa.Text(), nullable=False),
        sa.Column('run_id', sa.Text(), nullable=True),
        sa.Column('created_at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('id'),
        sa.ForeignKeyConstraint(['content_id'], ['contents.id'], ondelete='CASCADE'),
        sa.ForeignKeyConstraint(['run_id'], ['runs.id'], ondelete='SET NULL'),
    )
    op.create_index('results_content_id', 'results', ['content_id'])
    op.create_index('results_kind', 'results', ['kind', 'created_at'])
    op.execute(
        f"""
        INSERT INTO results ({_COLUMNS})
        SELECT id, 'simulate', content_id, workload_id, inputs, model,
            -- A Python None was kept as the null of JSON.
            nullif(result, 'null'::jsonb),
            coalesce(result <> 'null'::jsonb, false), core_version, run_id, created_at
        FROM simulations
        """
    )
    for kind, table in (("sweep", "sweeps"), ("miniature", "miniatures")):
        op.execute(
            f"""
            INSERT INTO results ({_COLUMNS})
            SELECT t.id, '{kind}', t.content_id, t.workload_id, t.inputs, t.configurations,
                NULL, coalesce(r.status = 'succeeded', true), t.core_version, t.run_id,
                t.created_at
            FROM {table} t LEFT JOIN runs r ON r.id = t.run_id
            """
        )
    op.execute(
        f"""
        INSERT INTO results ({_COLUMNS})
        SELECT id, kind, content_id, workload_id, parameters, NULL, NULL, complete,
            core_version, run_id, created_at
        FROM analyses
        """
    )
    for table in ("simulations", "sweeps", "miniatures", "analyses"):
        op.drop_table(table)


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
