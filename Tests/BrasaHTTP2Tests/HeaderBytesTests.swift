import Testing

@testable import BrasaHTTP2

@Suite struct HeaderBytesTests {
    private static let text: StaticString = "grpc-accept-encoding-x-24"
    private static let bytes = Array("grpc-accept-encoding-x-24".utf8)

    @Test func `Bytes are equal to themselves only, whatever their number is`() {
        for count in 0...Self.bytes.count {
            let bytes = Array(Self.bytes[..<count])
            bytes.withUnsafeBytes { whole in
                Self.bytes.withUnsafeBytes { #expect($0.isEqual(to: whole) == (count == Self.bytes.count)) }
                for position in 0..<count {
                    var other = bytes
                    other[position] ^= 1
                    #expect(!other.withUnsafeBytes { $0.isEqual(to: whole) })
                }
                #expect(bytes.withUnsafeBytes { $0.isEqual(to: whole) })
            }
        }
    }

    @Test func `A text is compared whole, or as a beginning`() {
        Self.bytes.withUnsafeBytes {
            #expect($0.isEqual(to: Self.text) && $0.starts(with: Self.text))
            #expect($0.starts(with: "grpc-acce") && !$0.isEqual(to: "grpc-acce"))
            #expect($0.starts(with: "g") && $0.starts(with: ""))
            #expect(!$0.starts(with: "grpc-accE") && !$0.starts(with: "grpc-accept-encoding-x-24-"))
        }
        Array("0".utf8).withUnsafeBytes { #expect($0.isEqual(to: "0") && !$0.isEqual(to: "1") && !$0.isEqual(to: "")) }
    }
}
