internal import BrasaDocuments
internal import BrasaMessages
internal import CBrasaFirestoreV1

// Parts that several requests have, from their unpacked form. All throw what the documents' rules say.

extension TimestampEnvelope {
    func timestamp() throws(DocumentError) -> Timestamp {
        guard let timestamp = Timestamp(seconds: self.seconds, nanos: self.nanos) else {
            throw DocumentError(.timestampOutOfRange)
        }
        return timestamp
    }

    var isMicrosecondAligned: Bool { self.nanos % 1_000 == 0 }
}

extension DocumentMaskEnvelope {
    func fieldPaths() throws(DocumentError) -> [FieldPath] {
        var paths: [FieldPath] = []
        paths.reserveCapacity(self.n_field_paths)
        for path in repeated(self.n_field_paths, self.field_paths) {
            paths.append(try FieldPath(parsing: path.bytes))
        }
        return paths
    }
}

/// A mask that is absent is nil, one that is empty selects nothing.
func fieldPaths(_ mask: UnsafeMutablePointer<DocumentMaskEnvelope>?) throws(DocumentError) -> [FieldPath]? {
    guard let mask else { return nil }
    return try mask.pointee.fieldPaths()
}

func readTime(_ time: UnsafeMutablePointer<TimestampEnvelope>?) throws(DocumentError) -> ReadTime? {
    guard let time else { return nil }
    return ReadTime(try time.pointee.timestamp(), isMicrosecondAligned: time.pointee.isMicrosecondAligned)
}

func precondition(_ envelope: UnsafeMutablePointer<PreconditionEnvelope>?) throws(DocumentError) -> Precondition? {
    guard let envelope else { return nil }
    switch envelope.pointee.condition_type_case {
    case BRASA__WIRE__PRECONDITION__CONDITION_TYPE_EXISTS:
        return .exists(envelope.pointee.exists != 0)
    case BRASA__WIRE__PRECONDITION__CONDITION_TYPE_UPDATE_TIME:
        guard let time = envelope.pointee.update_time else { return nil }
        guard time.pointee.isMicrosecondAligned else { throw DocumentError(.preconditionTimeNotAligned) }
        return .updateTime(try time.pointee.timestamp())
    default:
        return nil
    }
}
