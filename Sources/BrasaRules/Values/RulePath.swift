import BrasaBytes
internal import BrasaDocuments

/// A path as rules compute with it: segments, some of which may still be variables.
package struct RulePath: Sendable {
    enum Segment: Sendable {
        case simple(RuleText)
        case variable(RuleText)
        case glob(RuleText)
    }

    struct Binding: Sendable {
        let name: RuleText
        let segments: Range<Int>
        let isGlob: Bool
    }

    var segments: [Segment]
    /// What variables have been given, for looking up by name.
    var bindings: [Binding] = []
    /// There are more segments than are known: this is what a query says of its documents' paths.
    private(set) var isOpen = false

    init(_ segments: [Segment]) {
        self.segments = segments
    }

    /// The longest path that a rule may build.
    static let segmentsMax = 1_000

    static let databases: RuleText = "databases"
    static let documents: RuleText = "documents"

    /// `/databases/{database}/documents/…`
    init(database: UTF8Text, path: ResourcePath) {
        var segments: [Segment] = [
            .simple(Self.databases), .simple(RuleText(database)), .simple(Self.documents),
        ]
        for segment in path.segments { segments.append(.simple(RuleText(validated: RuleBytes(segment)))) }
        self.segments = segments
    }

    /// The path of some document in this collection: a segment follows.
    init(database: UTF8Text, below collection: ResourcePath) {
        self.init(database: database, path: collection)
        self.isOpen = true
    }

    /// What making a path of these segments costs.
    static func work(_ path: ResourcePath) -> Int {
        Work.element * (path.segmentCount + 4) + Work.Pace.each.rawValue * path.bytes.count / 8
    }

    /// The name in a reference value. Its project is not part of the path.
    init(reference name: RuleBytes, _ work: inout Work) throws(EvaluationError) {
        let bytes = try name.all(.each, &work)
        let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        try work.spend(elements: parts.count)
        self.segments = parts.dropFirst(2).map { part in
            let place = (part.startIndex - bytes.startIndex)..<(part.endIndex - bytes.startIndex)
            return .simple(RuleText(validated: name.part(place)))
        }
    }

    /// `path('…')`: percent-encoded, `{x}` for a variable, a slash in front if one likes.
    init(parsing text: RuleText, _ work: inout Work) throws(EvaluationError) {
        var rest = try text.all(.coded, &work)
        if rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
        guard !rest.isEmpty else { throw .emptyPath }
        var segments: [Segment] = []
        for part in rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            try work.spend(Work.element)
            guard !part.isEmpty else { throw .emptySegment(text.excerpt) }
            guard segments.count < Self.segmentsMax else { throw .workExceeded }
            segments.append(try Self.segment(part))
        }
        self.segments = segments
    }

    private static func segment(_ part: BytePart) throws(EvaluationError) -> Segment {
        if part.first == UInt8(ascii: "{"), part.last == UInt8(ascii: "}"), part.count > 2 {
            let name = part.dropFirst().dropLast()
            func text(_ bytes: BytePart) -> RuleText { RuleText(validated: Array(bytes)) }
            if name.suffix(3).elementsEqual("=**".utf8) { return .glob(text(name.dropLast(3))) }
            if name.suffix(2).elementsEqual("=*".utf8) { return .variable(text(name.dropLast(2))) }
            return .variable(text(name))
        }
        guard let decoded = PercentEncoding.decode(part), let text = UTF8Text(validating: decoded) else {
            throw .invalidPath(RuleText(validated: Array(part)).excerpt)
        }
        return .simple(RuleText(text))
    }

    /// The name of the first variable that has no value.
    var firstVariable: RuleText? {
        for segment in self.segments {
            switch segment {
            case .simple: continue
            case .variable(let name), .glob(let name): return name
            }
        }
        return nil
    }

    /// Not percent-encoded; no segments are `/`.
    func text(_ work: inout Work) throws(EvaluationError) -> RuleText {
        guard !self.segments.isEmpty else { return "/" }
        var text: [UInt8] = []
        for segment in self.segments {
            try work.spend(Work.element)
            text.append(UInt8(ascii: "/"))
            switch segment {
            case .simple(let segment): text += try segment.all(.block, &work)
            case .variable(let name): text += Array("{".utf8) + (try name.all(.block, &work)) + Array("}".utf8)
            case .glob(let name): text += Array("{".utf8) + (try name.all(.block, &work)) + Array("=**}".utf8)
            }
        }
        return RuleText(validated: text)
    }

    /// For people: cut off where it grows long.
    var excerpt: String {
        guard !self.segments.isEmpty else { return "/" }
        var text = ""
        for segment in self.segments {
            guard text.utf8.count < 200 else { return "\(text)…" }
            switch segment {
            case .simple(let segment): text += "/\(segment.excerpt)"
            case .variable(let name): text += "/{\(name.excerpt)}"
            case .glob(let name): text += "/{\(name.excerpt)=**}"
            }
        }
        return text
    }

    static func equal(_ left: RulePath, _ right: RulePath, _ work: inout Work) throws(EvaluationError) -> Bool {
        guard left.segments.count == right.segments.count else { return false }
        for (left, right) in zip(left.segments, right.segments) {
            try work.spend(Work.step)
            switch (left, right) {
            case (.simple(let left), .simple(let right)), (.variable(let left), .variable(let right)),
                (.glob(let left), .glob(let right)):
                guard try RuleText.equal(left, right, &work) else { return false }
            default: return false
            }
        }
        return true
    }

    func hash(into hasher: inout Hasher, _ work: inout Work) throws(EvaluationError) {
        for segment in self.segments {
            try work.spend(Work.step)
            switch segment {
            case .simple(let text), .variable(let text), .glob(let text):
                try text.bytes.hash(into: &hasher, &work)
            }
        }
        hasher.combine(self.segments.count)
    }
}
