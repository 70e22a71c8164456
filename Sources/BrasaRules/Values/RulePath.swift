import BrasaBytes
package import BrasaDocuments

/// A path as rules compute with it: segments, some of which may still be variables.
package struct RulePath: Hashable, Sendable {
    package enum Segment: Hashable, Sendable {
        case simple(UTF8Text)
        case variable(String)
        case glob(String)
    }

    package struct Binding: Sendable {
        let name: String
        let segments: Range<Int>
        let isGlob: Bool
    }

    package var segments: [Segment]
    /// What variables have been given, for looking up by name.
    var bindings: [Binding] = []
    /// There are more segments than are known: this is what a query says of its documents' paths.
    private(set) var isOpen = false

    init(_ segments: [Segment]) {
        self.segments = segments
    }

    /// The longest path that a rule may build.
    static let segmentsMax = 1_000

    private static let databases: UTF8Text = "databases"
    private static let documents: UTF8Text = "documents"

    /// `/databases/{database}/documents/…`
    package init(database: UTF8Text, path: ResourcePath) {
        var segments: [Segment] = [.simple(Self.databases), .simple(database), .simple(Self.documents)]
        for segment in path.segments { segments.append(.simple(UTF8Text(validating: segment) ?? "")) }
        self.segments = segments
    }

    /// The path of some document in this collection: a segment follows.
    init(database: UTF8Text, below collection: ResourcePath) {
        self.init(database: database, path: collection)
        self.isOpen = true
    }

    /// `path('…')`: percent-encoded, `{x}` for a variable, a slash in front if one likes.
    init(parsing text: UTF8Text) throws(EvaluationError) {
        var rest = text.bytes[...]
        if rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
        guard !rest.isEmpty else { throw .emptyPath }
        var segments: [Segment] = []
        for part in rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !part.isEmpty else { throw .emptySegment(text.string) }
            guard segments.count < Self.segmentsMax else { throw .workExceeded }
            segments.append(try Self.segment(part))
        }
        self.segments = segments
    }

    private static func segment(_ part: ArraySlice<UInt8>) throws(EvaluationError) -> Segment {
        if part.first == UInt8(ascii: "{"), part.last == UInt8(ascii: "}"), part.count > 2 {
            var name = String(decoding: part.dropFirst().dropLast(), as: UTF8.self)
            if name.hasSuffix("=**") {
                name.removeLast(3)
                return .glob(name)
            }
            if name.hasSuffix("=*") { name.removeLast(2) }
            return .variable(name)
        }
        guard let decoded = PercentEncoding.decode(part), let text = UTF8Text(validating: decoded)
        else { throw .invalidPath(String(decoding: part, as: UTF8.self)) }
        return .simple(text)
    }

    /// The name of the first variable that has no value.
    var firstVariable: String? {
        for segment in self.segments {
            switch segment {
            case .simple: continue
            case .variable(let name), .glob(let name): return name
            }
        }
        return nil
    }

    /// Not percent-encoded; no segments are `/`.
    package var text: String {
        guard !self.segments.isEmpty else { return "/" }
        return self.segments.reduce(into: "") { text, segment in
            switch segment {
            case .simple(let segment): text += "/\(segment)"
            case .variable(let name): text += "/{\(name)}"
            case .glob(let name): text += "/{\(name)=**}"
            }
        }
    }

    package static func == (left: RulePath, right: RulePath) -> Bool { left.segments == right.segments }
    package func hash(into hasher: inout Hasher) { hasher.combine(self.segments) }
}
