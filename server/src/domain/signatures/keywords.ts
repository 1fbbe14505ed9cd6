// The option names of Suricata 7.0 (`suricata --list-keywords`) and the older spellings it still takes.

const keywords = new Set(
  (
    'ack alert app-layer-event app-layer-protocol asn1 base64_data base64_decode bsize bypass byte_extract ' +
    'byte_jump byte_math byte_test cip_service classtype compress_whitespace config content datarep dataset ' +
    'dce_iface dce_opnum dce_stub_data dcerpc.iface dcerpc.opnum dcerpc.stub_data decode-event depth ' +
    'detection_filter dhcp.leasetime dhcp.rebinding_time dhcp.renewal_time distance dnp3.data dnp3_func dnp3_ind ' +
    'dnp3_obj dns.opcode dns.query dns_query dotprefix dsize endswith engine-event enip_command fast_pattern ' +
    'file.data file.magic file.name file_data fileext filemagic filemd5 filename filesha1 filesha256 filesize ' +
    'filestore flags flow flow.age flowbits flowint flowvar fragbits fragoffset frame ftpbounce ftpdata_command ' +
    'geoip gid header_lowercase hostbits http.accept http.accept_enc http.accept_lang http.connection ' +
    'http.content_len http.content_type http.cookie http.header http.header.raw http.header_names http.host ' +
    'http.host.raw http.location http.method http.protocol http.referer http.request_body http.request_header ' +
    'http.request_line http.response_body http.response_header http.response_line http.server http.start ' +
    'http.stat_code http.stat_msg http.uri http.uri.raw http.user_agent http2.errorcode http2.frametype ' +
    'http2.header_name http2.priority http2.settings http2.size_update http2.window http_accept http_accept_enc ' +
    'http_accept_lang http_client_body http_connection http_content_len http_content_type http_cookie http_header ' +
    'http_header_names http_host http_method http_protocol http_raw_header http_raw_host ' +
    'http_raw_uri http_referer http_request_line http_response_line ' +
    'http_server_body http_start http_stat_code http_stat_msg http_uri http_user_agent icmp_id ' +
    'icmp_seq icmpv4-csum icmpv4.hdr icmpv6-csum icmpv6.hdr icmpv6.mtu icode id ike.chosen_sa_attribute ' +
    'ike.exchtype ike.init_spi ike.key_exchange_payload ike.key_exchange_payload_length ike.nonce_payload ' +
    'ike.nonce_payload_length ike.resp_spi ike.vendor ip.dst ip.src ip_proto ipopts iprep ipv4-csum ipv4.hdr ' +
    'ipv6.hdr isdataat itype ja3.hash ja3.string ja3_hash ja3_string ja3s.hash ja3s.string ja4.hash krb5.cname ' +
    'krb5.sname krb5.ticket_encryption krb5_cname krb5_err_code krb5_msg_type krb5_sname l3_proto lua metadata ' +
    'modbus mqtt.connack.session_present mqtt.connect.clientid mqtt.connect.flags mqtt.connect.password ' +
    'mqtt.connect.username mqtt.connect.willmessage mqtt.connect.willtopic mqtt.flags mqtt.protocol_version ' +
    'mqtt.publish.message mqtt.publish.topic mqtt.qos mqtt.reason_code mqtt.subscribe.topic mqtt.type ' +
    'mqtt.unsubscribe.topic msg nfq_set_mark nfs.version nfs_procedure nfs_version noalert nocase offset pcre ' +
    'pcrexform pkt_data pktvar prefilter priority quic.cyu.hash quic.cyu.string quic.sni quic.ua quic.version ' +
    'rawbytes reference replace requires rev rfb.name rfb.secresult rfb.sectype rpc sameip seq sid sip.method ' +
    'sip.protocol sip.request_line sip.response_line sip.stat_code sip.stat_msg sip.uri ' +
    'smb.named_pipe smb.ntlmssp_domain smb.ntlmssp_user smb.share smb_named_pipe smb_share snmp.community ' +
    'snmp.pdu_type snmp.usm snmp.version ssh.hassh ssh.hassh.server ssh.hassh.server.string ssh.hassh.string ' +
    'ssh.proto ssh.protoversion ssh.software ssh.softwareversion ssh_proto ssh_software ssl_state ssl_version ' +
    'startswith stream-event stream_size strip_pseudo_headers strip_whitespace tag target tcp.ack tcp.flags ' +
    'tcp.hdr tcp.mss tcp.seq tcp.window tcpv4-csum tcpv6-csum threshold tls.cert_chain_len tls.cert_fingerprint ' +
    'tls.cert_issuer tls.cert_serial tls.cert_subject tls.certs tls.fingerprint tls.issuerdn tls.random ' +
    'tls.random_bytes tls.random_time tls.sni tls.subject tls.version tls_cert_expired tls_cert_fingerprint ' +
    'tls_cert_issuer tls_cert_notafter tls_cert_notbefore tls_cert_serial tls_cert_subject tls_cert_valid tls_sni ' +
    'tls_store to_lowercase to_md5 to_sha1 to_sha256 to_uppercase tos ttl udp.hdr udpv4-csum udpv6-csum ' +
    'uricontent urilen url_decode window within xbits xor'
  ).split(' '),
)

export const isKeyword = (name: string): boolean => keywords.has(name)
