extension JSONScanner {
    mutating func readNumber(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int) throws(TreeError) {
        let start = index
        while index < bytes.count, Self.isOfNumber(bytes[index]) { index &+= 1 }
        self.token.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
        guard self.token.count <= TreeLimits.numberBytesMax else {
            throw TreeError(.json(.invalidNumber, offset: self.tokenStart), at: self.sink.path)
        }
        if index < bytes.count { try self.endNumber() }
    }

    mutating func endNumber() throws(TreeError) {
        switch JSONNumber.parse(self.token) {
        case .success(let number): try self.sink.scalar(number)
        case .failure(let fault): throw TreeError(.json(fault.fault, offset: self.tokenStart), at: self.sink.path)
        }
        self.endValue()
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
