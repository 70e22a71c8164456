internal import BrasaDocuments

/// A document as it was at one time, or that it did not exist.
// @unchecked: all properties are constants of Sendable types, here and in the subclass; the class is not final, so the
// compiler does not look.
public class DocumentSnapshot: @unchecked Sendable {
    public let reference: DocumentReference
    public let metadata: SnapshotMetadata
    /// Nil when the document does not exist.
    let fields: EncodedFields?
    private let times: SnapshotTimes

    init(
        reference: DocumentReference,
        fields: EncodedFields?,
        metadata: SnapshotMetadata,
        times: SnapshotTimes = .unknown
    ) {
        self.reference = reference
        self.fields = fields
        self.metadata = metadata
        self.times = times
    }

    public var exists: Bool { self.fields != nil }
    public var documentID: String { self.reference.documentID }

    /// When the document was created. Nil when it does not exist, and where that is not known: while it has writes that the
    /// server has not sent back, and of what a cache on disk has kept.
    public var createTime: Timestamp? { self.times.create.map { Timestamp($0) } }

    /// When the document was last changed. Nil when it does not exist, and while it has writes that the server has not
    /// acknowledged.
    public var updateTime: Timestamp? { self.times.update.map { Timestamp($0) } }

    /// When the server has read the document for this snapshot; nil of listeners and of what the cache answers.
    public var readTime: Timestamp? { self.times.read.map { Timestamp($0) } }

    /// The fields; nil when the document does not exist. Numbers and booleans are `NSNumber` objects, which cast to
    /// every Swift type that holds their value.
    @discardableResult
    public func data() -> [String: Any]? {
        self.data(with: .none)
    }

    /// The fields, with a choice for those whose server time is not known yet.
    @discardableResult
    public func data(with serverTimestampBehavior: ServerTimestampBehavior) -> [String: Any]? {
        guard let fields = self.fields else { return nil }
        return self.writer(serverTimestampBehavior).map(fields.decoded)
    }

    /// The value of a field, given as a `FieldPath` or as text with dots; nil when there is none, or can be none. Stops the
    /// program when the field is given as something else.
    @discardableResult
    public func get(_ field: Any) -> Any? {
        self.get(field, serverTimestampBehavior: .none)
    }

    @discardableResult
    public func get(_ field: Any, serverTimestampBehavior: ServerTimestampBehavior) -> Any? {
        let given = trapping { () throws(UsageError) in try FieldPath(any: field) }
        guard let path = try? given.stored else { return nil }
        if path.isDocumentName { return self.fields == nil ? nil : self.reference }
        guard let value = self.fields?.value(at: path) else { return nil }
        return self.writer(serverTimestampBehavior).any(value)
    }

    public subscript(key: Any) -> Any? {
        self.get(key)
    }

    private func writer(_ behavior: ServerTimestampBehavior) -> ValueWriter {
        ValueWriter(firestore: self.reference.firestore, behavior: behavior)
    }

    public var description: String {
        "<DocumentSnapshot: \(self.reference.path) \(self.data().map { "\($0)" } ?? "(missing)")>"
    }
}

/// A document's key and content; how up to date it is does not matter.
extension DocumentSnapshot: Hashable, CustomStringConvertible {
    public static func == (left: DocumentSnapshot, right: DocumentSnapshot) -> Bool {
        left.reference == right.reference && left.fields == right.fields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.reference)
        hasher.combine(self.fields)
    }
}

/// A result of a query, which always exists.
// @unchecked: adds nothing to its superclass.
public final class QueryDocumentSnapshot: DocumentSnapshot, @unchecked Sendable {
    @discardableResult
    public override func data() -> [String: Any] {
        super.data() ?? [:]
    }

    @discardableResult
    public override func data(with serverTimestampBehavior: ServerTimestampBehavior) -> [String: Any] {
        super.data(with: serverTimestampBehavior) ?? [:]
    }
}
