internal import BrasaDocuments
internal import BrasaMessages
internal import BrasaSync
internal import BrasaWire

extension BrasaMessages.WriteRequest {
    init(_ request: BrasaSync.WriteRequest, in database: DatabaseName) {
        switch request {
        case .handshake(let position):
            self.init(database: database, streamID: position?.streamID ?? "", streamToken: position?.token ?? [])
        case .writes(let writes, let token): self.init(database: database, streamToken: token, writes: writes)
        case .goodbye(let token): self.init(database: database, streamToken: token)
        }
    }
}

extension BrasaSync.WriteMessage {
    init(_ response: WriteResponse) throws(WireError) {
        var results: [WriteResult] = []
        results.reserveCapacity(response.writeResults.count)
        for result in response.writeResults {
            results.append(
                WriteResult(updateTime: result.updateTime, transformResults: try result.transformResults())
            )
        }
        self.init(
            streamID: WriteStreamID.isResumable(response.streamID) ? response.streamID : nil,
            streamToken: response.streamToken,
            commitTime: response.commitTime,
            results: results
        )
    }
}
