/// Certificates and keys of no worth outside these tests, valid for a hundred years.
enum TestCertificates {
    /// The certificate that signed the others; its key is gone.
    static let root = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBejCCASGgAwIBAgIUZIy0X8rsg8a4DyS0x/KB8cB/FKkwCgYIKoZIzj0EAwIw
        EjEQMA4GA1UEAwwHVGVzdCBDQTAgFw0yNjExMjExNzExMTVaGA8yMTI2MTAyODE3
        MTExNVowEjEQMA4GA1UEAwwHVGVzdCBDQTBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABEez7z1SkJOpq8f2MGpNzksshtbpAluju6IbAqBhQEu+WmcmdYVWqBXW+vwl
        SfaBUZI194sbc6+NadzgoPSoGM6jUzBRMB0GA1UdDgQWBBQ7lw3b4cK/X+uHfRDJ
        8RxxWF/x0TAfBgNVHSMEGDAWgBQ7lw3b4cK/X+uHfRDJ8RxxWF/x0TAPBgNVHRMB
        Af8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIDi8/PfkapHxABp5eG89Vo4NkpJA
        9piQpucKCDIfYPMYAiBSiZ3Q8NONt2C/ljJJ5T50LE1VQEb523WTc4Kk0YiycA==
        -----END CERTIFICATE-----
        """.utf8
    )
    /// For the name localhost.
    static let server = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBijCCATCgAwIBAgIUHtKRQUuaEIsAYC8PIwEsIJG/7WUwCgYIKoZIzj0EAwIw
        EjEQMA4GA1UEAwwHVGVzdCBDQTAgFw0yNjExMjExNzQ2MTdaGA8yMTI2MTAyODE3
        NDYxN1owETEPMA0GA1UEAwwGc2VydmVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
        QgAE9s9Dy+jRE7wjaYmhb6SmtAU3mOxJ3XY7jHj3kAvIYf/WBppnQAJQYu+H2FLv
        9wrUlPha3+ZSlZfw5kGO5nMR26NjMGEwFAYDVR0RBA0wC4IJbG9jYWxob3N0MAkG
        A1UdEwQCMAAwHQYDVR0OBBYEFHEkdfFFLot6gsTU+0hhDlI5AQ20MB8GA1UdIwQY
        MBaAFDuXDdvhwr9f64d9EMnxHHFYX/HRMAoGCCqGSM49BAMCA0gAMEUCIFUCK7+I
        /NHg31yHooSxaBWmqybhIOoNLYI3BtNB/S1FAiEAlrag1YsTpT4sz52seeGc+ESW
        ZeHGXUwDyqpXfMP7rlI=
        -----END CERTIFICATE-----
        """.utf8
    )
    /// For the address 127.0.0.1, with the same key.
    static let addressServer = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBhTCCASugAwIBAgIUHtKRQUuaEIsAYC8PIwEsIJG/7WYwCgYIKoZIzj0EAwIw
        EjEQMA4GA1UEAwwHVGVzdCBDQTAgFw0yNjExMjExNzQ2MThaGA8yMTI2MTAyODE3
        NDYxOFowETEPMA0GA1UEAwwGc2VydmVyMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
        QgAE9s9Dy+jRE7wjaYmhb6SmtAU3mOxJ3XY7jHj3kAvIYf/WBppnQAJQYu+H2FLv
        9wrUlPha3+ZSlZfw5kGO5nMR26NeMFwwDwYDVR0RBAgwBocEfwAAATAJBgNVHRME
        AjAAMB0GA1UdDgQWBBRxJHXxRS6LeoLE1PtIYQ5SOQENtDAfBgNVHSMEGDAWgBQ7
        lw3b4cK/X+uHfRDJ8RxxWF/x0TAKBggqhkjOPQQDAgNIADBFAiEAlQ7sSd9PJZDK
        3uyZy7ZVEAxvqcX5TRkT3alODvbFw34CIEED6uk4PUoPC+Dyg5IComeU9/GkmQVy
        85iTJHwa6BU2
        -----END CERTIFICATE-----
        """.utf8
    )
    static let serverKey = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBt+GK89SUr3y+/MJ
        mb+R5bVFYEr3HYiHlGNCzIUAvDmhRANCAAT2z0PL6NETvCNpiaFvpKa0BTeY7End
        djuMePeQC8hh/9YGmmdAAlBi74fYUu/3CtSU+Frf5lKVl/DmQY7mcxHb
        -----END PRIVATE KEY-----
        """.utf8
    )
    static let client = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBiDCCAS+gAwIBAgIUHtKRQUuaEIsAYC8PIwEsIJG/7WQwCgYIKoZIzj0EAwIw
        EjEQMA4GA1UEAwwHVGVzdCBDQTAgFw0yNjExMjExNzExMTZaGA8yMTI2MTAyODE3
        MTExNlowETEPMA0GA1UEAwwGY2xpZW50MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
        QgAEeRM5FjLKEDmISMyHKUmtfyDgJMPqpFqWvbYmHj5AMMDNbh/1tcb1EEWDWDV2
        pbACs9CTVW1c/69Y3d2xy4dEU6NiMGAwCQYDVR0TBAIwADATBgNVHSUEDDAKBggr
        BgEFBQcDAjAdBgNVHQ4EFgQUYdPDU/4PGWaTnhppPnfl4XoNg64wHwYDVR0jBBgw
        FoAUO5cN2+HCv1/rh30QyfEccVhf8dEwCgYIKoZIzj0EAwIDRwAwRAIgPTS2bviq
        CqsglKZIo62e9E94G/6BTt73sewuQRXTTZUCICjkTnJoL/1IGv/fy+MQqbEDcZYU
        n+BgJm+ReJKN00XP
        -----END CERTIFICATE-----
        """.utf8
    )
    static let clientKey = Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg2NsMx9Ybq0YBLyJs
        qa5JE8GJm2vK9Kb9YzHbcTxjo2uhRANCAAR5EzkWMsoQOYhIzIcpSa1/IOAkw+qk
        Wpa9tiYePkAwwM1uH/W1xvUQRYNYNXalsAKz0JNVbVz/r1jd3bHLh0RT
        -----END PRIVATE KEY-----
        """.utf8
    )
    /// Has signed nothing.
    static let otherRoot = Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBfjCCASOgAwIBAgIUB9IbmDSbDQmK+ZL0LpS8DEWYApcwCgYIKoZIzj0EAwIw
        EzERMA8GA1UEAwwIT3RoZXIgQ0EwIBcNMjYxMTIxMTcxMTE2WhgPMjEyNjEwMjgx
        NzExMTZaMBMxETAPBgNVBAMMCE90aGVyIENBMFkwEwYHKoZIzj0CAQYIKoZIzj0D
        AQcDQgAEBJRzdbJX+DnmYeFwhpet/42yjCkVMp1PkZO/x4bEv1LM/kD4WO9xGDco
        zOohW9pIEcgOllNGETCTJyy5tiOFU6NTMFEwHQYDVR0OBBYEFIM82SCD/A3IqnMf
        XrzkrfWHBSk5MB8GA1UdIwQYMBaAFIM82SCD/A3IqnMfXrzkrfWHBSk5MA8GA1Ud
        EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAJm8Sl8s4fsPxhMkA0W8eOtf
        Wz3qmFDZiP0962AAmqjlAiEA9P3Imk1xpwNZqkH4x5ENaZKwn+xbFw1EUfNUtBHb
        ZvY=
        -----END CERTIFICATE-----
        """.utf8
    )
}
