"""Where papers come from: arXiv, OpenReview, blogs and citations, each behind one contract."""
