/// The code points that one step of a regular expression takes.
struct CharacterClass {
    private(set) var ranges: [ClosedRange<UInt32>] = []
    /// General categories, as bits of their names' places in `CategoryNames`.
    private var categories: UInt32 = 0
    var isNegated = false

    init() {}

    init(_ ranges: [ClosedRange<UInt32>]) {
        self.ranges = ranges
    }

    static let any = CharacterClass([0...0x10FFFF])
    static let anyButNewline = CharacterClass([0...9, 11...0x10FFFF])
    static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    static let words: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    static let spaces: [ClosedRange<UInt32>] = [0x09...0x0A, 0x0C...0x0D, 0x20...0x20]

    mutating func add(_ ranges: [ClosedRange<UInt32>], isNegated: Bool = false) {
        self.ranges += isNegated ? Self.complement(ranges) : ranges
    }

    mutating func add(_ range: ClosedRange<UInt32>) { self.ranges.append(range) }

    mutating func add(categories: UInt32, isNegated: Bool) {
        self.categories |= isNegated ? ~categories : categories
    }

    private static func complement(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
            next = max(next, range.upperBound + 1)
        }
        if next <= 0x10FFFF { gaps.append(next...0x10FFFF) }
        return gaps
    }

    /// Adds the other case of every letter. Long ranges beyond ASCII are left as they are.
    mutating func foldCase(_ work: inout Work) throws(EvaluationError) {
        for range in self.ranges where range.upperBound - range.lowerBound <= 1_024 {
            try work.spend(Self.foldingWork * range.count)
            for code in range {
                guard let scalar = Unicode.Scalar(code) else { continue }
                for other in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
                    guard other.unicodeScalars.count == 1, let folded = other.unicodeScalars.first, folded != scalar
                    else { continue }
                    self.ranges.append(folded.value...folded.value)
                }
            }
        }
    }

    private static let foldingWork = 800

    /// What it takes to find out whether a code point is in it.
    var work: Int { 16 + (self.categories == 0 ? 0 : 100) }

    /// Sorted and without overlaps, as `contains` wants it.
    mutating func finish() {
        let sorted = self.ranges.sorted { $0.lowerBound < $1.lowerBound }
        self.ranges = []
        for range in sorted {
            if let last = self.ranges.last, range.lowerBound <= last.upperBound {
                self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
    }

    func contains(_ code: UInt32) -> Bool { self.holds(code) != self.isNegated }

    private func holds(_ code: UInt32) -> Bool {
        var (low, high) = (0, self.ranges.count)
        while low < high {
            let middle = (low + high) / 2
            let range = self.ranges[middle]
            if code < range.lowerBound {
                high = middle
            } else if code > range.upperBound {
                low = middle + 1
            } else {
                return true
            }
        }
        guard self.categories != 0, let scalar = Unicode.Scalar(code) else { return false }
        return self.categories & CategoryNames.bit(scalar.properties.generalCategory) != 0
    }
}

/// General categories by the names that `\p{…}` takes.
enum CategoryNames {
    private static let all: [(name: String, category: Unicode.GeneralCategory)] = [
        ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter), ("Lm", .modifierLetter),
        ("Lo", .otherLetter), ("Mn", .nonspacingMark), ("Mc", .spacingMark), ("Me", .enclosingMark),
        ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
        ("Pd", .dashPunctuation), ("Ps", .openPunctuation), ("Pe", .closePunctuation), ("Pi", .initialPunctuation),
        ("Pf", .finalPunctuation), ("Po", .otherPunctuation), ("Sm", .mathSymbol), ("Sc", .currencySymbol),
        ("Sk", .modifierSymbol), ("So", .otherSymbol), ("Zs", .spaceSeparator), ("Zl", .lineSeparator),
        ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format), ("Cs", .surrogate), ("Co", .privateUse),
        ("Cn", .unassigned),
    ]

    /// What it takes to look a name up.
    static let work = 2_000

    static func bit(_ category: Unicode.GeneralCategory) -> UInt32 {
        self.all.firstIndex { $0.category == category }.map { 1 << UInt32($0) } ?? 0
    }

    /// The categories of a name, one letter standing for all that begin with it; zero when there are none.
    static func bits(_ name: String) -> UInt32 {
        if name == "Any" { return .max }
        return self.all.enumerated().reduce(0) { bits, entry in
            entry.element.name == name || (name.count == 1 && entry.element.name.hasPrefix(name))
                ? bits | 1 << UInt32(entry.offset) : bits
        }
    }
}
