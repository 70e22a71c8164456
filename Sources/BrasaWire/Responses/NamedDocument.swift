internal import BrasaDocuments
package import BrasaMessages
package import NIOCore

extension NamedDocument {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        let result: Result<NamedDocument, WireError> = buffer.withUnsafeReadableBytes { bytes in
            do throws(DocumentError) { return .success(try Self(bytes)) } catch { return .failure(.document(error)) }
        }
        self = try result.get()
    }

    init(_ bytes: UnsafeRawBufferPointer) throws(DocumentError) {
        let message = try DocumentMessage(decoding: bytes)
        self.init(
            name: try DocumentName(parsing: UnsafeRawBufferPointer(rebasing: bytes[message.name])),
            document: nil
        )
        guard let createTime = message.createTime, let updateTime = message.updateTime else { return }
        self.document = Document(fields: message.fields, createTime: createTime, updateTime: updateTime)
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension NamedDocument: WireMessage {
    var byteCountLeast: Int { self.name.byteCountLeast + (self.document?.fields.bytes.count ?? 0) }

    func encode(to sink: inout WireSink) {
        sink.keep(1, self.name)
        guard let document else { return }
        sink.raw(document.fields.bytes)
        sink.keep(3, document.createTime)
        sink.keep(4, document.updateTime)
    }
}
