def full_match(pattern, text):
    atoms = []
    for character in pattern:
        if character in "*+?" and atoms:
            atoms[-1] = (atoms[-1][0], character)
        elif character not in "()|[]^-":
            atoms.append((character, ""))
    places = {0}
    for atom, sign in atoms:
        fits = lambda at: at < len(text) and atom in (text[at], ".")
        reached = set(places) if sign in ("*", "?") else set()
        fresh = places
        while fresh:
            fresh = {at + 1 for at in fresh if fits(at)} - reached
            reached |= fresh
            if sign in ("", "?"):
                break
        places = reached
    return len(text) in places
