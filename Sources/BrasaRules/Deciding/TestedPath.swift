internal import BrasaDocuments

/// The path that patterns are held against: `/databases/{database}/documents`, and what the request names. Of a listing
/// the last segment is not known, and of a collection group what lies between its parent and its id.
struct TestedPath {
    private static let databases = Array("databases".utf8)
    private static let documents = Array("documents".utf8)
    private static let rootCount = 3

    let database: UTF8Text
    private let segments: [BytePart]
    private let collectionID: [UInt8]?
    private let isListing: Bool
    let isGroup: Bool

    init(_ target: RuleTarget, database: UTF8Text) {
        self.database = database
        switch target {
        case .document(let path):
            self.segments = path.segments
            (self.isListing, self.isGroup, self.collectionID) = (false, false, nil)
        case .collection(let path):
            self.segments = path.segments
            (self.isListing, self.isGroup, self.collectionID) = (true, false, nil)
        case .collectionGroup(let parent, let id):
            self.segments = parent.segments
            (self.isListing, self.isGroup, self.collectionID) = (true, true, id?.bytes)
        }
    }

    /// Segments from the start that are known.
    var knownCount: Int { Self.rootCount + self.segments.count }
    var count: Int { self.knownCount + (self.isGroup ? 1 : 0) + (self.isListing ? 1 : 0) }

    /// Nil for the one that is not known.
    func withSegment<Output>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Output) -> Output? {
        switch index {
        case 0: Self.databases.withUnsafeBytes(body)
        case 1: self.database.bytes.withUnsafeBytes(body)
        case 2: Self.documents.withUnsafeBytes(body)
        case ..<self.knownCount: self.segments[index - Self.rootCount].withUnsafeBytes(body)
        case self.knownCount: self.collectionID?.withUnsafeBytes(body)
        default: nil
        }
    }

    /// The same, as a part of what the request names.
    func text(_ index: Int) -> RuleText? {
        switch index {
        case 0: RulePath.databases
        case 1: RuleText(self.database)
        case 2: RulePath.documents
        case ..<self.knownCount: RuleText(validated: RuleBytes(self.segments[index - Self.rootCount]))
        case self.knownCount: self.collectionID.map { RuleText(validated: $0) }
        default: nil
        }
    }
}
