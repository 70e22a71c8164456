internal import BrasaDocuments

extension Write {
    /// Brings our copy of the server's document to the state after the write, which the server has accepted.
    func applyAcknowledged(to document: inout SyncDocument, _ result: WriteResult, commitTime: Timestamp) {
        let version = result.version(commitTime: commitTime)
        switch self.operation {
        case .verify: break
        case .delete: document.commit(.missing, version: version)
        case .set(let fields):
            let new = self.transformed(fields, from: document.fields, result.transformResults)
            document.commit(.found(new), version: version)
        case .merge(let fields, let mask):
            // It did hold on the server, so what we have is not what it was applied to.
            guard self.isMet(by: document) else { return document.commit(.unknown, version: version) }
            let merged = document.fields.merged(with: fields, mask: mask)
            let new = self.transformed(merged, from: document.fields, result.transformResults)
            document.commit(.found(new), version: version)
        }
    }

    private func transformed(_ fields: EncodedFields, from old: EncodedFields, _ results: [Value]) -> EncodedFields {
        guard !self.transforms.isEmpty, results.count == self.transforms.count else { return fields }
        var edit = FieldEdit(fields)
        for (transform, result) in zip(self.transforms, results) {
            switch transform.operation {
            case .appendMissingElements, .removeAllFromArray:
                // The server does not say what became of the array.
                let value = transform.applied(to: old.value(at: transform.path), requestTime: .zero).new
                edit.set(value, at: transform.path)
            case .requestTime, .increment, .maximum, .minimum:
                edit.set(result, at: transform.path)
            }
        }
        return edit.finish()
    }
}
