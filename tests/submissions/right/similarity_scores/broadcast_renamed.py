def similarity_scores(queries, keys):
    return (queries[..., :, None, :] * keys[..., None, :, :]).sum(-1)
