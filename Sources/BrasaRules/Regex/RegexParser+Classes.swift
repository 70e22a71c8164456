import BrasaBytes

extension RegexParser {
    /// `\d` and its like outside brackets.
    mutating func escape() throws(EvaluationError) -> RegexSyntax {
        guard let character = self.peek(1) else { throw .invalidPattern(self.excerpt) }
        switch character {
        case "A": return self.assertion(.textStart)
        case "z": return self.assertion(.textEnd)
        case "b": return self.assertion(.wordBoundary)
        case "B": return self.assertion(.noWordBoundary)
        default: break
        }
        var characters = CharacterClass()
        if try self.addClassEscape(to: &characters) {
            characters.finish()
            return .characters(characters)
        }
        return try self.single(try self.characterEscape())
    }

    private mutating func assertion(_ assertion: RegexAssertion) -> RegexSyntax {
        self.position += 2
        return .assertion(assertion)
    }

    /// `\d \w \s \p` and their opposites; false, with nothing read, for other escapes.
    private mutating func addClassEscape(to characters: inout CharacterClass) throws(EvaluationError) -> Bool {
        guard self.current == "\\", let character = self.peek(1) else { return false }
        try self.work.spend(Self.partWork)
        switch character {
        case "d", "D": characters.add(CharacterClass.digits, isNegated: character == "D")
        case "w", "W": characters.add(CharacterClass.words, isNegated: character == "W")
        case "s", "S": characters.add(CharacterClass.spaces, isNegated: character == "S")
        case "p", "P":
            self.position += 2
            try self.addCategory(isNegated: character == "P", to: &characters)
            return true
        default: return false
        }
        self.position += 2
        return true
    }

    private mutating func addCategory(isNegated: Bool, to characters: inout CharacterClass) throws(EvaluationError) {
        var name = ""
        if self.skip("{") {
            while let character = self.current, character != "}" {
                try self.work.spend(Work.element)
                name.unicodeScalars.append(character)
                self.position += 1
            }
            guard self.skip("}") else { throw .invalidPattern(self.excerpt) }
        } else if let character = self.current {
            name.unicodeScalars.append(character)
            self.position += 1
        }
        var isNegated = isNegated
        if name.hasPrefix("^") {
            name.removeFirst()
            isNegated.toggle()
        }
        try self.work.spend(CategoryNames.work)
        let categories = CategoryNames.bits(name)
        guard categories != 0 else { throw .invalidPattern(self.excerpt) }
        characters.add(categories: categories, isNegated: isNegated)
    }

    /// An escape that stands for one character.
    private mutating func characterEscape() throws(EvaluationError) -> UInt32 {
        guard let character = self.peek(1) else { throw .invalidPattern(self.excerpt) }
        self.position += 2
        switch character {
        case "a": return 7
        case "f": return 12
        case "n": return 10
        case "r": return 13
        case "t": return 9
        case "v": return 11
        case "x": return try self.hexadecimal()
        case "0"..."7":
            self.position -= 1
            return try self.octal()
        default:
            let code = character.value
            guard code < 0x80, !CharacterClass(CharacterClass.words).contains(code) else {
                throw .invalidPattern(self.excerpt)
            }
            return code
        }
    }

    /// `\0`, and up to two more octal digits; without a zero in front three are needed, since one would refer back.
    private mutating func octal() throws(EvaluationError) -> UInt32 {
        var digits = 0
        var code: UInt32 = 0
        let needsThree = self.current != "0"
        while digits < 3, let digit = self.current?.value, (0x30...0x37).contains(digit) {
            code = code * 8 + (digit - 0x30)
            digits += 1
            self.position += 1
        }
        guard !needsThree || digits == 3 else { throw .invalidPattern(self.excerpt) }
        return code
    }

    private mutating func hexadecimal() throws(EvaluationError) -> UInt32 {
        var code: UInt32 = 0
        var digits = 0
        let isBraced = self.skip("{")
        while let digit = self.current, isBraced || digits < 2, digit.isASCII,
            let value = Hexadecimal.value(UInt8(truncatingIfNeeded: digit.value)).map(UInt32.init)
        {
            code = code * 16 + value
            guard code <= 0x10FFFF else { throw .invalidPattern(self.excerpt) }
            digits += 1
            self.position += 1
        }
        guard isBraced ? digits > 0 && self.skip("}") : digits == 2 else { throw .invalidPattern(self.excerpt) }
        return code
    }

    /// `[a-z]`, `[^\d]`, `[[:alpha:]]`.
    mutating func bracket() throws(EvaluationError) -> CharacterClass {
        self.position += 1
        var characters = CharacterClass()
        characters.isNegated = self.skip("^")
        var isFirst = true
        while let character = self.current, character != "]" || isFirst {
            isFirst = false
            try self.work.spend(Self.partWork)
            if try self.addNamedClass(to: &characters) { continue }
            if try self.addClassEscape(to: &characters) { continue }
            let low = try self.bracketCharacter()
            var high = low
            if self.current == "-", let next = self.peek(1), next != "]" {
                self.position += 1
                high = try self.bracketCharacter()
            }
            guard low <= high else { throw .invalidPattern(self.excerpt) }
            characters.add(low...high)
        }
        guard self.skip("]") else { throw .invalidPattern(self.excerpt) }
        if self.flags.ignoresCase { try characters.foldCase(&self.work) }
        characters.finish()
        return characters
    }

    private mutating func bracketCharacter() throws(EvaluationError) -> UInt32 {
        guard let character = self.current else { throw .invalidPattern(self.excerpt) }
        if character == "\\" { return try self.characterEscape() }
        self.position += 1
        return character.value
    }

    private static let named: [(name: String, ranges: [ClosedRange<UInt32>])] = [
        ("alnum", [0x30...0x39, 0x41...0x5A, 0x61...0x7A]), ("alpha", [0x41...0x5A, 0x61...0x7A]),
        ("ascii", [0...0x7F]), ("blank", [9...9, 0x20...0x20]), ("cntrl", [0...0x1F, 0x7F...0x7F]),
        ("digit", [0x30...0x39]), ("graph", [0x21...0x7E]), ("lower", [0x61...0x7A]), ("print", [0x20...0x7E]),
        ("punct", [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E]), ("space", [9...13, 0x20...0x20]),
        ("upper", [0x41...0x5A]), ("word", [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]),
        ("xdigit", [0x30...0x39, 0x41...0x46, 0x61...0x66]),
    ]

    /// `[:alpha:]` inside brackets; false, with nothing read, when there is none.
    private mutating func addNamedClass(to characters: inout CharacterClass) throws(EvaluationError) -> Bool {
        guard self.current == "[", self.peek(1) == ":" else { return false }
        try self.work.spend(CategoryNames.work)
        for (name, ranges) in Self.named {
            if self.skip("[:\(name):]") {
                characters.add(ranges)
                return true
            }
            if self.skip("[:^\(name):]") {
                characters.add(ranges, isNegated: true)
                return true
            }
        }
        throw .invalidPattern(self.excerpt)
    }
}
