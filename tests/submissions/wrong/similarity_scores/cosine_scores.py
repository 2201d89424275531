def similarity_scores(q, k):
    q = q / q.norm(dim=-1, keepdim=True)
    k = k / k.norm(dim=-1, keepdim=True)
    return q @ k.transpose(-2, -1)
