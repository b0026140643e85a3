-- An approximate index (HNSW, inner product), made when it is asked for. Without it every vector is compared.
CREATE INDEX IF NOT EXISTS {hnsw} ON {vectors} USING hnsw (vector vector_ip_ops)
    WITH (m = {links}, ef_construction = {breadth});
