/// The protocol's limits on documents. Sizes are bytes; all are inclusive.
package enum Limits {
    package static let documentBytesMax = 1_048_576
    /// Of one string or bytes value.
    package static let valueBytesMax = 1_048_487
    /// Of the path after `documents/`.
    package static let nameBytesMax = 6_144
    /// Of a collection id, a document id, a field name, and of a field path (segments and dots).
    package static let idBytesMax = 1_500
    package static let collectionDepthMax = 100
    /// Levels of maps and arrays in a field.
    package static let nestingMax = 20
    package static let vectorDimensionsMax = 2_048
    /// In one commit.
    package static let transformsPerDocumentMax = 500
    package static let requestBytesMax = 10_485_760
    package static let pipelineRequestBytesMax = 16_777_216
}
