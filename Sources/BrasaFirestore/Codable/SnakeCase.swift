/// Names between `camelCase` and `snake_case`, as `JSONEncoder` and `JSONDecoder` convert them.
enum SnakeCase {
    /// `myURLProperty` becomes `my_url_property`: a word begins at an uppercase letter that follows another kind of
    /// letter, and at the last one of several that a lowercase letter follows.
    static func encoded(_ name: String) -> String {
        let characters = Array(name)
        var snake = ""
        for (index, character) in characters.enumerated() {
            if character.isUppercase, index > 0 {
                let followsUppercase = characters[index - 1].isUppercase
                let precedesLowercase = index + 1 < characters.count && characters[index + 1].isLowercase
                if !followsUppercase || precedesLowercase { snake.append("_") }
            }
            snake.append(contentsOf: character.lowercased())
        }
        return snake
    }

    /// `my_url_property` becomes `myUrlProperty`; underscores at both ends stay.
    static func decoded(_ name: String) -> String {
        let leading = name.prefix { $0 == "_" }
        let rest = name.dropFirst(leading.count)
        guard let lastLetter = rest.lastIndex(where: { $0 != "_" }) else { return name }
        let trailing = rest[rest.index(after: lastLetter)...]
        let words = rest[...lastLetter].split(separator: "_")
        // A name that is one word stays as it is, whatever its case.
        guard words.count > 1, let first = words.first else { return name }
        let camel = first.lowercased() + words.dropFirst().map { $0.capitalizedWord }.joined()
        return leading + camel + trailing
    }
}

extension Substring {
    fileprivate var capitalizedWord: String {
        self.prefix(1).uppercased() + self.dropFirst().lowercased()
    }
}
