a
—